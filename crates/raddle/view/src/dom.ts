// Elements and canvases.

type Kid = Node | string | null | undefined;

export function el<K extends keyof HTMLElementTagNameMap>(tag: K, props: Record<string, unknown> = {}, ...kids: (Kid | Kid[])[]): HTMLElementTagNameMap[K] {
  const node = document.createElement(tag);
  for (const [k, v] of Object.entries(props)) {
    if (v === null || v === undefined || v === false) continue;
    if (k === 'fill') node.style.background = String(v);
    else if (k.startsWith('on')) node.addEventListener(k.slice(2), v as EventListener);
    else node.setAttribute(k, v === true ? '' : String(v));
  }
  node.append(...kids.flat().filter((kid): kid is Node | string => kid !== null && kid !== undefined));
  return node;
}

export const byId = <T extends HTMLElement = HTMLElement>(id: string): T => document.getElementById(id) as T;

export const FONT = 'system-ui, "Segoe UI", "Liberation Sans", sans-serif';

/** A canvas cleared and scaled to the screen; its context and width. */
export function context(canvas: HTMLCanvasElement, height: number): [CanvasRenderingContext2D, number] {
  const width = canvas.clientWidth || canvas.parentElement!.clientWidth, d = Math.min(2, devicePixelRatio || 1);
  if (canvas.width !== Math.round(width * d) || canvas.height !== Math.round(height * d)) {
    canvas.width = Math.round(width * d);
    canvas.height = Math.round(height * d);
    canvas.style.height = `${height}px`;
  }
  const c = canvas.getContext('2d')!;
  c.setTransform(d, 0, 0, d, 0, 0);
  c.clearRect(0, 0, width, height);
  c.font = `12px ${FONT}`;
  return [c, width];
}

/** Text with a halo, so that it is read above lines. */
export function outlined(c: CanvasRenderingContext2D, text: string, x: number, y: number, ink: string, halo: string, width = 4): void {
  c.lineWidth = width;
  c.lineJoin = 'round';
  c.strokeStyle = halo;
  c.strokeText(text, x, y);
  c.fillStyle = ink;
  c.fillText(text, x, y);
}
