/**
 * Lets the build and the tests see through the doors of the source.
 *
 * A wing is imported by its `index.ts`, and what needs Node by its `node.ts`; they name all that the other wings use.
 * Loaded as they are written, each program would load all of it. So an import from a door becomes imports from the files
 * behind it, as if they had been written; nothing else changes.
 */
import { readFileSync, statSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { dirname, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const source = fileURLToPath(new URL('../src', import.meta.url));

const IMPORT = /^(import|export)( type)? \{([^}]*)\} from '(\.[^']*\/(?:index|node)\.js)';/gm;
const BEHIND = /^export( type)? (?:\{([^}]*)\}|\* as (\w+)) from '([^']+)';/gm;

/** The doors that were read: by their file, the place of each name behind them, and the time at which they changed. */
const doors = new Map();

/** Returns whether a file is the door of a wing. */
export const isDoor = (file) =>
  /^(?!entries)[\w-]+\/(index|node)\.ts$/.test(relative(source, file).replaceAll('\\', '/'));

/** The names in braces: `a, type B, c as d`. */
const namesIn = (text) =>
  text
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '')
    .map((name) => {
      const isType = name.startsWith('type ');
      const [inner, outer = inner] = (isType ? name.slice('type '.length) : name).split(' as ');
      return { inner, outer, isType };
    });

function readDoor(file) {
  const { mtimeMs } = statSync(file);
  const known = doors.get(file);
  if (known?.mtimeMs === mtimeMs) return known.places;
  const places = new Map();
  for (const [, isType, names, namespace, from] of readFileSync(file, 'utf8').matchAll(BEHIND)) {
    const path = resolve(dirname(file), from);
    if (namespace !== undefined) places.set(namespace, { path, namespace, isType: isType !== undefined });
    else
      for (const name of namesIn(names))
        places.set(name.outer, { path, inner: name.inner, isType: isType !== undefined || name.isType });
  }
  doors.set(file, { mtimeMs, places });
  return places;
}

/** Returns the place of a name behind a door. @throws Error for a name that it does not export */
function placeOf(door, name) {
  const place = readDoor(door).get(name);
  if (place === undefined) throw new Error(`${relative(source, door)} does not export ${name}`);
  return place;
}

/** Returns the door that a module imports; undefined for another file. */
function doorOf(specifier, file) {
  const door = resolve(dirname(file), specifier).replace(/\.js$/, '.ts');
  return isDoor(door) && door !== file ? door : undefined;
}

const specifierOf = (path, file) =>
  relative(dirname(file), path)
    .replaceAll('\\', '/')
    .replace(/^(?!\.)/, './');

/** The statements that take the place of one that imports from a door. */
function statementsBehind(door, file, { keyword, isType, names }) {
  const byPath = new Map();
  const namespaces = [];
  for (const name of names) {
    const { path, namespace, inner, isType: isTypeThere } = placeOf(door, name.inner);
    const from = `from '${specifierOf(path, file)}';`;
    const type = isType ? '' : name.isType || isTypeThere ? 'type ' : '';
    if (namespace !== undefined)
      namespaces.push(`${keyword} ${isType || type !== '' ? 'type ' : ''}* as ${name.outer} ${from}`);
    else {
      const text = type + (inner === name.outer ? inner : `${inner} as ${name.outer}`);
      byPath.set(from, [...(byPath.get(from) ?? []), text]);
    }
  }
  const statement = ([from, list]) =>
    isType || list.every((name) => name.startsWith('type '))
      ? // An import of nothing but single types would remain as an import of the file.
        `${keyword} type { ${list.map((name) => name.replace(/^type /, '')).join(', ')} } ${from}`
      : `${keyword} { ${list.join(', ')} } ${from}`;
  return [...[...byPath].map(statement), ...namespaces];
}

/**
 * Returns the text of a module with imports from the files behind the doors that it imports. Lines keep their numbers.
 *
 * @param file its path
 * @throws Error for a name that a door does not export
 */
export function seeThroughDoors(text, file) {
  return text.replace(IMPORT, (statement, keyword, type, names, specifier) => {
    const door = doorOf(specifier, file);
    if (door === undefined) return statement;
    const behind = statementsBehind(door, file, { keyword, isType: type !== undefined, names: namesIn(names) });
    return behind.join(' ') + '\n'.repeat(statement.split('\n').length - 1);
  });
}

const INLINE = /import\("(\.[^"]*\/(?:index|node)\.js)"\)\.(\w+)/g;

/**
 * Returns the text of declarations without doors: a program that reads those of one entry reads no others.
 *
 * @param file the path of their source
 */
export function declarationsBehindDoors(text, file) {
  return seeThroughDoors(text, file).replace(INLINE, (reference, specifier, name) => {
    const door = doorOf(specifier, file);
    if (door === undefined) return reference;
    const { path, namespace, inner } = placeOf(door, name);
    return `import("${specifierOf(path, file)}")${namespace === undefined ? `.${inner}` : ''}`;
  });
}

const SOURCE = /\/src\/.*\.ts$/;

/** The plugin for esbuild, and so for tsup. */
export const esbuildDoors = () => ({
  name: 'doors',
  setup(build) {
    build.onLoad({ filter: SOURCE }, async ({ path }) => ({
      contents: seeThroughDoors(await readFile(path, 'utf8'), path),
      loader: 'ts',
    }));
  },
});

/** The plugin for Vite, and so for Vitest. */
export const viteDoors = () => ({
  name: 'doors',
  enforce: 'pre',
  transform: (text, id) => (SOURCE.test(id) ? seeThroughDoors(text, id) : undefined),
});
