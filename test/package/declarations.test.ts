import ts from 'typescript';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { outputOf, subpaths } from '../../scripts/entries.js';
import { withOwnNames } from '../../scripts/modules.js';
import { manifest, root, textOf } from './project.js';
import { namesOf, readEntries } from './public-interface.js';
import { declarationsIn, RolledUpDeclarations } from './rolled-up.js';

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

/** A program that imports entries as modules `m0`, `m1`, …. */
const importing = (imported: readonly string[]): string =>
  imported.map((subpath, index) => `export * as m${index} from '${manifest.name}${subpath.slice(1)}';\n`).join('');

/** A program that passes values from one entry to another. Their classes have private members, which make them differ. */
const PASSING = `
import { ApiServer, Client, Pod, type Authorizer, type Clock } from '${manifest.name}';
import { Client as SameClient } from '${manifest.name}/client';
import { ClusterRole, Pod as SamePod, coreV1 } from '${manifest.name}/kinds';
import { createRbacAuthorizer, RbacPolicy } from '${manifest.name}/rbac';
import { createMemoryStorage } from '${manifest.name}/storage/memory';
import { createManualClock, startTestServer } from '${manifest.name}/testing';
import { listen } from '${manifest.name}/node';

export const clock: Clock = createManualClock();
export const authorizer: Authorizer = createRbacAuthorizer(new RbacPolicy());
export const server = new ApiServer({ storage: createMemoryStorage({ clock }), authorization: { authorizer }, clock });
export const client: SameClient = server.client();
export const back: Client = client;
export const pod: SamePod = { metadata: { name: 'a' }, spec: { containers: [{ name: 'a', image: 'b' }] } };
export const made: Promise<coreV1.Pod> = client.resource(Pod).namespace('default').create(pod);
export const roles = client.resource(ClusterRole).list();
export const listening = startTestServer().then((test) => listen(test.server));
`;

/** The type and the comment that an editor shows at a variable of a program, and at a field below it. */
function hoverAt(program: ts.Program, variable: string, ...path: readonly string[]): [type: string, comment: string] {
  const checker = program.getTypeChecker();
  const file = program.getSourceFiles().find(({ fileName }) => fileName.endsWith('consumer.mts'));
  const module = file && checker.getSymbolAtLocation(file);
  let symbol = module && checker.tryGetMemberInModuleExports(variable, module);
  for (const name of path) symbol = symbol && checker.getTypeOfSymbol(symbol).getNonNullableType().getProperty(name);
  if (symbol === undefined) throw new Error(`${[variable, ...path].join('.')} is not declared`);
  return [
    checker.typeToString(checker.getTypeOfSymbol(symbol).getNonNullableType()),
    ts.displayPartsToString(symbol.getDocumentationComment(checker)),
  ];
}

describe('the declarations', () => {
  let declarations: RolledUpDeclarations;

  beforeAll(async () => {
    declarations = await RolledUpDeclarations.make();
  }, 300_000);

  afterAll(() => declarations.remove());

  test('require the types of Node, and no DOM library; types are the same in all entries', () => {
    const program = declarations.program(importing(Object.keys(subpaths)) + PASSING, {
      lib: ['lib.es2023.d.ts'],
      types: ['node'],
      typeRoots: [`${root}node_modules/@types`],
    });
    expect(declarations.problemsOf(program)).toEqual([]);
    const entries = readEntries(program, (subpath) => `${declarations.package}/dist/${outputOf(subpath)}.d.ts`);
    expect(namesOf(entries)).toBe(textOf('test/package/public-api.txt'));
    expect(hoverAt(program, 'pod')).toEqual(['Pod', '']);
    expect(hoverAt(program, 'pod', 'spec')).toEqual(['PodSpec', expect.stringMatching(/\.$/)]);
    expect(hoverAt(program, 'pod', 'spec', 'containers')).toEqual(['Container[]', expect.stringMatching(/\.$/)]);
  }, 300_000);

  test('or the library of a browser or worker, and no types of Node', () => {
    const imported = Object.keys(subpaths).filter((subpath) => !ON_NODE.has(subpath));
    const program = declarations.program(importing(imported), {
      lib: ['lib.es2023.d.ts', 'lib.webworker.d.ts', 'lib.esnext.disposable.d.ts'],
      types: [],
      module: ts.ModuleKind.ESNext,
      moduleResolution: ts.ModuleResolutionKind.Bundler,
    });
    expect(declarations.problemsOf(program)).toEqual([]);
  }, 300_000);

  test('are those of the source, with their comments', () => {
    const made = new Set(declarationsIn(declarations.made));
    const rolled = declarationsIn(`${declarations.package}/dist`);
    expect(rolled.length).toBeGreaterThan(1500);
    expect(rolled.filter((text) => !made.has(text))).toEqual([]);
  }, 300_000);
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
