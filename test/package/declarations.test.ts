import ts from 'typescript';
import { describe, expect, test } from 'vitest';
import { declarationsBehindDoors, isDoor } from '../../scripts/doors.js';
import { subpaths } from '../../scripts/entries.js';
import { withOwnNames } from '../../scripts/modules.js';
import { manifest, root, textOf } from './project.js';

const common: ts.CompilerOptions = {
  module: ts.ModuleKind.NodeNext,
  moduleResolution: ts.ModuleResolutionKind.NodeNext,
  target: ts.ScriptTarget.ES2022,
  strict: true,
  exactOptionalPropertyTypes: true,
};

/** The declarations of every subpath, as the build makes them but in separate files. */
function declarations(): Map<string, string> {
  const made = new Map<string, string>();
  const options: ts.CompilerOptions = {
    ...common,
    lib: ['lib.es2023.d.ts', 'lib.webworker.d.ts', 'lib.webworker.asynciterable.d.ts', 'lib.esnext.disposable.d.ts'],
    types: ['node'],
    typeRoots: [`${root}node_modules/@types`],
    declaration: true,
    emitDeclarationOnly: true,
    stripInternal: true,
    skipLibCheck: true,
  };
  const program = ts.createProgram(
    Object.values(subpaths).map((source) => root + source),
    options,
  );
  program.emit(undefined, (path, text) => {
    const source = path.replace(/\.d\.ts$/, '.ts');
    if (!isDoor(source)) made.set(path, declarationsBehindDoors(text, source));
  });
  return made;
}

/** The compiler's errors for a program that imports these subpaths and checks all their declarations. */
function problemsOf(
  made: ReadonlyMap<string, string>,
  imported: readonly string[],
  options: ts.CompilerOptions,
): string[] {
  const host = ts.createCompilerHost({ ...common, ...options });
  const consumer = `${root}src/consumer.d.ts`;
  const text = imported
    .map(
      (subpath, index) =>
        `export * as m${index} from ${JSON.stringify(`./${(subpaths[subpath] ?? '').slice('src/'.length).replace(/\.ts$/, '.js')}`)};`,
    )
    .join('\n');
  const { getSourceFile, fileExists, readFile } = host;
  const textOfFile = (path: string): string | undefined => (path === consumer ? text : made.get(path));
  host.getSourceFile = (path, target, ...rest) => {
    const own = textOfFile(path);
    return own === undefined ? getSourceFile(path, target, ...rest) : ts.createSourceFile(path, own, target);
  };
  // The declarations are placed beside the sources, which a consumer does not have.
  const isSource = (path: string): boolean => path.startsWith(`${root}src/`) && !path.endsWith('.d.ts');
  host.fileExists = (path) => textOfFile(path) !== undefined || (!isSource(path) && fileExists(path));
  host.readFile = (path) => textOfFile(path) ?? readFile(path);
  const program = ts.createProgram([consumer], { ...common, ...options, noEmit: true, skipLibCheck: false }, host);
  const ours = (path: string | undefined): boolean => path === undefined || path.startsWith(`${root}src/`);
  return ts
    .getPreEmitDiagnostics(program)
    .filter(({ file }) => ours(file?.fileName))
    .map(
      ({ file, messageText }) =>
        `${file?.fileName.slice(root.length) ?? ''}: ${ts.flattenDiagnosticMessageText(messageText, ' ')}`,
    );
}

/** Subpaths for Node only. */
const ON_NODE = new Set([
  './storage/sqlite',
  './storage/etcd',
  './node',
  './express',
  './fastify',
  './client-node',
  './kubeconfig',
  './testing/record',
]);

describe('the declarations', () => {
  const made = declarations();

  test('require the types of Node, and no DOM library', () => {
    expect(
      problemsOf(made, Object.keys(subpaths), {
        lib: ['lib.es2023.d.ts'],
        types: ['node'],
        typeRoots: [`${root}node_modules/@types`],
      }),
    ).toEqual([]);
  }, 120_000);

  test('or the library of a browser or worker, and no types of Node', () => {
    const imported = Object.keys(subpaths).filter((subpath) => !ON_NODE.has(subpath));
    expect(
      problemsOf(made, imported, {
        lib: ['lib.es2023.d.ts', 'lib.webworker.d.ts', 'lib.esnext.disposable.d.ts'],
        types: [],
      }),
    ).toEqual([]);
  }, 120_000);
});

describe('the build', () => {
  test('gives classes their own names', () => {
    expect(
      withOwnNames(
        'var ApiError = class _ApiError extends Error {\n  static of() {\n    return new _ApiError(_ApiErrors, this._ApiError);\n  }\n};\nvar Other = class {};',
      ),
    ).toBe(
      'var ApiError = class ApiError extends Error {\n  static of() {\n    return new ApiError(_ApiErrors, this._ApiError);\n  }\n};\nvar Other = class {};',
    );
  });
});

describe('the tarball', () => {
  const packed = new Set(manifest.files.filter((path) => !path.startsWith('!')).concat('package.json'));
  const isPacked = (path: string): boolean => packed.has(path) || packed.has(path.split('/')[0] ?? '');

  test('has no source maps', () => expect(manifest.files).toContain('!dist/**/*.map'));

  test('names the location of the project', () => {
    const { homepage, repository, bugs } = JSON.parse(textOf('package.json')) as {
      homepage: string;
      repository: { url: string };
      bugs: { url: string };
    };
    expect(
      [homepage, repository.url, bugs.url].every((url) =>
        /^(git\+)?https:\/\/github\.com\/orch-io\/orch-apiserver/.test(url),
      ),
    ).toBe(true);
  });

  test.each(['README.md', 'CHANGELOG.md', 'docs/README.md'])(
    'contains every file that %s links to, except for absolute links',
    (page) => {
      const folder = new URL(page, 'file:///');
      const links = [...textOf(page).matchAll(/\]\(([^)#\s]+)[^)]*\)/g)]
        .map((match) => match[1] ?? '')
        .filter((link) => !/^https?:/.test(link));
      expect(links.map((link) => new URL(link, folder).pathname.slice(1)).filter((path) => !isPacked(path))).toEqual(
        [],
      );
    },
  );
});

describe('the development dependencies', () => {
  interface Locked {
    readonly engines?: { readonly node?: string };
    readonly deprecated?: string;
    readonly optional?: boolean;
  }
  const lock = JSON.parse(textOf('package-lock.json')) as { readonly packages: Readonly<Record<string, Locked>> };

  test('are not deprecated, and run on Node 20.19: npm ci prints no warning', () => {
    const refuses = (range: string): boolean =>
      !range
        .split('||')
        .some((part) =>
          /^\s*(\*|x)?\s*$|(>=?|\^|~)\s*v?([0-9]|1[0-9])(\.|\s|$)|(>=?|\^|~)?\s*v?20(\.|\s|$)|^\s*1[0-9]\.?/.test(part),
        );
    const warned = Object.entries(lock.packages).filter(
      ([, { engines, deprecated, optional }]) =>
        deprecated !== undefined || (optional !== true && engines?.node !== undefined && refuses(engines.node)),
    );
    expect(warned.map(([path, { engines }]) => `${path} ${engines?.node}`)).toEqual([]);
  });
});
