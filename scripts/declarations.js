/**
 * The second step of the declarations: takes the doors out of those that the compiler made in dist/types, so that a
 * program that uses one entry does not read the declarations of all others.
 */
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { declarationsBehindDoors, isDoor } from './doors.js';

const root = fileURLToPath(new URL('..', import.meta.url));

for (const path of readdirSync(`${root}dist/types`, { recursive: true, encoding: 'utf8' })) {
  if (!path.endsWith('.d.ts')) continue;
  const made = `${root}dist/types/${path}`;
  const source = `${root}src/${path.replace(/\.d\.ts$/, '.ts')}`;
  if (isDoor(source)) rmSync(made);
  else writeFileSync(made, declarationsBehindDoors(readFileSync(made, 'utf8'), source));
}
