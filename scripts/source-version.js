import { createHash } from 'node:crypto';
import { readFileSync, readdirSync, statSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));

/**
 * Returns a hash that changes with the source, and with the packages that are installed: it names what is made of them.
 *
 * @param others files that also decide what is made, from the root of the project
 */
export function sourceVersion(others) {
  const hash = createHash('sha256');
  const note = (file) => {
    const { size, mtimeMs } = statSync(root + file);
    hash.update(`${file} ${size} ${mtimeMs}\n`);
  };
  for (const file of readdirSync(`${root}src`, { recursive: true, encoding: 'utf8' }).sort())
    if (file.endsWith('.ts')) note(`src/${file}`);
  for (const file of others) note(file);
  hash.update(readFileSync(`${root}package-lock.json`));
  return hash.digest('hex').slice(0, 16);
}
