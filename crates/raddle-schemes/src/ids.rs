//! Names of things: newtypes over indices. Absence is `Option`, never a special value.

macro_rules! ids {
    ($($(#[$doc:meta])* $name:ident($inner:ty);)*) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Deserialize, serde::Serialize)]
        pub struct $name(pub $inner);

        impl $name {
            /// The id as an index into the table it names.
            pub fn index(self) -> usize {
                self.0 as usize
            }
        }
    )*};
}

ids! {
    /// A host: a NIC with one port.
    HostId(u32);
    /// A switch.
    SwitchId(u32);
    /// A port, and the directed link that leaves it. Hosts' ports come first, one per host.
    PortId(u32);
    /// A flow: one message from a source to a destination.
    FlowId(u32);
    /// The number of a packet in its flow, from 0 (packet sequence number).
    Psn(u32);
    /// An entropy value (EV): what a sender writes into the header for switches to hash.
    Entropy(u16);
}
