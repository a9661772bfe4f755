import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** The root of the project, with a trailing slash. */
export const root = fileURLToPath(new URL('../..', import.meta.url));

/** The text of a file of the project. */
export const textOf = (path: string): string => readFileSync(root + path, 'utf8');

/** The parts of package.json that are tested. */
export interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly files: readonly string[];
  readonly bin: Readonly<Record<string, string>>;
  readonly exports: Readonly<Record<string, string | Readonly<Record<string, string>>>>;
  readonly dependencies: Readonly<Record<string, string>>;
  readonly peerDependencies: Readonly<Record<string, string>>;
  readonly peerDependenciesMeta: Readonly<Record<string, { readonly optional?: boolean }>>;
  readonly devDependencies: Readonly<Record<string, string>>;
}

export const manifest = JSON.parse(textOf('package.json')) as Manifest;

/** Every source file, as `src/…`, but those of the page in browsers. */
export const sources: readonly string[] = readdirSync(`${root}src`, { recursive: true, encoding: 'utf8' })
  .map((path) => `src/${path.replaceAll('\\', '/')}`)
  .filter((path) => path.endsWith('.ts') && !path.startsWith('src/ui/web/'))
  .sort();
