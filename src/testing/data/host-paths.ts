import { hostModule, shown } from '../../foundation/index.js';

/** The parts of Node's modules that are used. */
interface HostDirectories {
  readdirSync(path: string, options: { readonly withFileTypes: true }): readonly DirectoryEntry[];
}
interface DirectoryEntry {
  readonly name: string;
  isDirectory(): boolean;
}
interface HostUrls {
  fileURLToPath(url: URL): string;
}

function hostDirectories(): HostDirectories {
  const module = hostModule('node:fs');
  if (typeof module !== 'object' || module === null || !('readdirSync' in module))
    throw new Error('this platform has no files; pass the content instead of a path');
  return module as HostDirectories;
}

/** Returns the path of a `file:` URL. @throws TypeError for a URL of another scheme */
export function pathOfUrl(url: URL): string {
  const module = hostModule('node:url');
  if (url.protocol !== 'file:' || typeof module !== 'object' || module === null || !('fileURLToPath' in module))
    throw new TypeError(`load: a URL must be that of a file, got ${shown(url.href)}`);
  return (module as HostUrls).fileURLToPath(url);
}

/** Returns whether a path has wildcards. */
export const isPattern = (path: string): boolean => /[*?]|\{[^}]*,[^}]*\}/.test(path);

/** Maximum number of directory entries that one pattern visits. */
const MAX_ENTRIES = 100_000;

/**
 * Returns the files that match a pattern, in the order of their names. `*` matches any characters but a slash, `?` one
 * of them, `**` any number of directories, `{a,b}` one of the alternatives. Directories with a leading dot and
 * `node_modules` are visited only when the pattern names them.
 *
 * @throws Error when nothing matches, or the pattern visits too many files
 */
export function matchingFiles(pattern: string): string[] {
  const segments = pattern.split('/');
  const fixed = segments.findIndex(isPattern);
  const root = segments.slice(0, fixed).join('/');
  const directory = fixed === 0 ? '.' : root === '' ? '/' : root;
  const found: string[] = [];
  let visited = 0;
  const host = hostDirectories();
  const visit = (path: string, rest: readonly string[]): void => {
    const [segment = '', ...following] = rest;
    const deep = segment === '**';
    if (deep && following.length > 0) visit(path, following);
    const expression = deep ? /^(?!\.|node_modules$)/ : segmentExpression(segment);
    for (const entry of entriesOf(host, path)) {
      visited += 1;
      if (visited > MAX_ENTRIES) throw new Error(`${pattern}: the pattern visits more than ${MAX_ENTRIES} files`);
      if (!expression.test(entry.name)) continue;
      const child = path === '.' && fixed === 0 ? entry.name : `${path.replace(/\/$/, '')}/${entry.name}`;
      if (entry.isDirectory()) {
        if (deep) visit(child, rest);
        else if (following.length > 0) visit(child, following);
      } else if (following.length === 0) found.push(child);
    }
  };
  visit(directory, segments.slice(fixed));
  if (found.length === 0) throw new Error(`${pattern}: no file matches`);
  return [...new Set(found)].sort();
}

function entriesOf(host: HostDirectories, path: string): readonly DirectoryEntry[] {
  try {
    return host.readdirSync(path, { withFileTypes: true });
  } catch (error) {
    if (typeof error === 'object' && error !== null && 'code' in error && error.code === 'ENOENT') return [];
    throw error;
  }
}

/** Returns the regular expression of one segment of a pattern. */
function segmentExpression(segment: string): RegExp {
  let source = '';
  let depth = 0;
  for (const character of segment) {
    if (character === '*') source += source === '' ? '(?!\\.)[^/]*' : '[^/]*';
    else if (character === '?') source += '[^/]';
    else if (character === '{') [source, depth] = [`${source}(?:`, depth + 1];
    else if (character === '}' && depth > 0) [source, depth] = [`${source})`, depth - 1];
    else if (character === ',' && depth > 0) source += '|';
    else source += character.replace(/[$()+.[\\\]^{|}]/g, '\\$&');
  }
  return new RegExp(`^${source}$`);
}
