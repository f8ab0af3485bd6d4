//! NumPy's `.npy` files: a square matrix of floating-point numbers or whole ones.

use npyz::{NpyFile, Order};

/// The rows of the matrix; why there are none.
pub(super) fn rows(bytes: &[u8]) -> Result<Vec<Vec<f64>>, String> {
    let open = || NpyFile::new(bytes).map_err(|error| error.to_string());
    let file = open()?;
    let (shape, order) = (file.shape().to_vec(), file.order());
    let [rows, columns] = shape[..] else {
        return Err(format!("an array of shape {shape:?}; expected a matrix"));
    };
    let kind = file.dtype().descr();
    let values = floats(open()?)
        .or_else(|| singles(bytes))
        .or_else(|| whole(bytes))
        .ok_or_else(|| format!("entries of kind {kind}; expected f4, f8, i4 or i8"))??;
    let (rows, columns) = (rows as usize, columns as usize);
    let at = |row: usize, column: usize| match order {
        Order::C => row * columns + column,
        Order::Fortran => column * rows + row,
    };
    let row = |row| (0..columns).map(|column| values[at(row, column)]).collect();
    Ok((0..rows).map(row).collect())
}

type Values = Option<Result<Vec<f64>, String>>;

fn floats(file: NpyFile<&[u8]>) -> Values {
    let data = file.try_data::<f64>().ok()?;
    Some(data.collect::<Result<_, _>>().map_err(|error| error.to_string()))
}

fn singles(bytes: &[u8]) -> Values {
    let data = NpyFile::new(bytes).ok()?.try_data::<f32>().ok()?;
    Some(data.map(|x| x.map(f64::from)).collect::<Result<_, _>>().map_err(|e| e.to_string()))
}

fn whole(bytes: &[u8]) -> Values {
    let file = || NpyFile::new(bytes).ok();
    if let Ok(data) = file()?.try_data::<i64>() {
        let data = data.map(|x| x.map(|x| x as f64));
        return Some(data.collect::<Result<_, _>>().map_err(|error| error.to_string()));
    }
    let data = file()?.try_data::<i32>().ok()?;
    Some(data.map(|x| x.map(f64::from)).collect::<Result<_, _>>().map_err(|e| e.to_string()))
}

#[cfg(test)]
mod tests {
    use super::rows;

    fn file(header: &str, data: &[u8]) -> Vec<u8> {
        let header = format!("{header:<117}\n");
        let mut bytes = b"\x93NUMPY\x01\x00".to_vec();
        bytes.extend((header.len() as u16).to_le_bytes());
        bytes.extend(header.as_bytes());
        bytes.extend(data);
        bytes
    }

    #[test]
    fn matrices_are_read_in_either_order_and_of_whole_numbers_too() {
        let numbers = [0.0_f64, 1.0, 2.0, 0.0];
        let data: Vec<u8> = numbers.iter().flat_map(|x| x.to_le_bytes()).collect();
        let head = |kind: &str, order: &str| {
            format!("{{'descr': '{kind}', 'fortran_order': {order}, 'shape': (2, 2), }}")
        };
        let by_rows = rows(&file(&head("<f8", "False"), &data)).unwrap();
        assert_eq!(by_rows, [[0.0, 1.0], [2.0, 0.0]]);
        let by_columns = rows(&file(&head("<f8", "True"), &data)).unwrap();
        assert_eq!(by_columns, [[0.0, 2.0], [1.0, 0.0]]);
        let data: Vec<u8> = [0_i32, 3, 4, 0].iter().flat_map(|x| x.to_le_bytes()).collect();
        assert_eq!(rows(&file(&head("<i4", "False"), &data)).unwrap(), [[0.0, 3.0], [4.0, 0.0]]);
    }

    #[test]
    fn other_arrays_are_refused_with_their_shape_or_kind() {
        let list = "{'descr': '<f8', 'fortran_order': False, 'shape': (2,), }";
        assert!(rows(&file(list, &[0; 16])).unwrap_err().contains("expected a matrix"));
        let text = "{'descr': '<U1', 'fortran_order': False, 'shape': (1, 1), }";
        assert!(rows(&file(text, &[0; 4])).unwrap_err().contains("expected f4, f8, i4 or i8"));
        assert!(rows(b"\x93NUMPY").is_err());
    }
}
