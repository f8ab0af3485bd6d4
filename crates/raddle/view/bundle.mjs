// Makes dist/view.html of page.html, style.css and src/: what `raddle view` serves and writes.
// With --check nothing is written: it fails where dist/ is not what the sources give.
import { build } from 'esbuild';
import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync, mkdirSync, existsSync } from 'node:fs';

const here = new URL('.', import.meta.url);
const read = (name) => readFileSync(new URL(name, here), 'utf8');

const bundled = await build({
  entryPoints: [new URL('src/main.ts', here).pathname],
  bundle: true, minify: true, charset: 'utf8', format: 'iife', target: 'es2022', write: false, legalComments: 'none',
});
const style = await build({
  stdin: { contents: read('style.css'), loader: 'css' }, minify: true, charset: 'utf8', write: false,
});
const css = style.outputFiles[0].text.trim(), script = bundled.outputFiles[0].text.trim().replaceAll('</script', '<\\/script');
// Nothing but this very script and style runs, and nothing is asked for elsewhere.
const hash = (text) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`;
const policy = `default-src 'none'; script-src ${hash(script)}; style-src ${hash(css)} 'unsafe-hashes'; img-src data:`;
const page = read('page.html')
  .replace('[[policy]]', () => policy)
  .replace('/*style*/', () => css)
  .replace('/*script*/', () => script);

const out = new URL('dist/view.html', here);
if (process.argv.includes('--check')) {
  if (!existsSync(out) || readFileSync(out, 'utf8') !== page) {
    console.error('view: dist/view.html is not what the sources give; run `make view` and commit it');
    process.exit(1);
  }
} else {
  mkdirSync(new URL('dist', here), { recursive: true });
  writeFileSync(out, page);
}
