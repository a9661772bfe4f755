import { existsSync } from 'node:fs';
import { builtinModules } from 'node:module';
import { describe, expect, test } from 'vitest';
import { entries, outputOf, subpaths, webOutputOf, webSubpaths } from '../../scripts/entries.js';
import { manifest, root, sources, textOf } from './project.js';

describe('the subpaths', () => {
  test('are exported by package.json as built, each with its types', () => {
    const expected = Object.keys(subpaths).map((subpath) => [
      subpath,
      {
        types: `./dist/${outputOf(subpath)}.d.ts`,
        ...(subpath in webSubpaths
          ? { node: `./dist/${outputOf(subpath)}.js`, default: `./dist/${webOutputOf(subpath)}.js` }
          : { default: `./dist/${outputOf(subpath)}.js` }),
      },
    ]);
    expect(manifest.exports).toEqual({ ...Object.fromEntries(expected), './package.json': './package.json' });
  });

  test('list types before the default, as resolvers take the first match', () => {
    const orders = Object.values(manifest.exports)
      .filter((target) => typeof target !== 'string')
      .map((target) => Object.keys(target).join());
    expect(new Set(orders)).toEqual(new Set(['types,default', 'types,node,default']));
  });

  test.each(Object.entries(entries))('%s is built from an existing file', (_output, source) => {
    expect(existsSync(root + source)).toBe(true);
  });
});

describe('the program', () => {
  test('is built and published', () => {
    expect(manifest.bin).toEqual({ [manifest.name]: './dist/cli/main.js' });
    expect(textOf(entries['cli/main'] ?? '').startsWith('#!/usr/bin/env node\n')).toBe(true);
  });
});

describe('the dependencies', () => {
  const builtin = new Set(builtinModules);
  const packageOf = (specifier: string): string =>
    specifier
      .split('/')
      .slice(0, specifier.startsWith('@') ? 2 : 1)
      .join('/');
  // Also `import('…')` and `createRequire(…)('…')`.
  const specifiers = sources.flatMap((path) =>
    [
      ...textOf(path).matchAll(/(?:^import [^;]*?from |^export [^;]*?from |^import |\bimport\(|\)\()'([^'.][^']*)'/gm),
    ].map((match) => match[1] ?? ''),
  );
  const used = new Set(specifiers.filter((specifier) => !/^(node:|#)/.test(specifier)).map(packageOf));

  // Only a part of zod is used, and its types are part of the public ones.
  const bundled = new Set(['@noble/ciphers', '@noble/hashes']);

  test('are exactly those that the source imports', () => {
    const installed = [...used].filter((name) => !bundled.has(name) && !(name in manifest.peerDependencies));
    expect(installed.sort()).toEqual(Object.keys(manifest.dependencies).sort());
  });

  test('are not installed if bundled, and their licences are included', () => {
    const notices = textOf('THIRD_PARTY_NOTICES.md');
    for (const name of bundled) {
      expect(used).toContain(name);
      expect(manifest.devDependencies).toHaveProperty([name]);
      expect(notices).toContain(`## ${name}\n`);
    }
  });

  test('on Node modules are written with node:', () => {
    expect(specifiers.filter((specifier) => builtin.has(specifier) && !used.has(specifier))).toEqual([]);
    expect([...used].filter((name) => builtin.has(name))).toEqual([]);
  });

  test('on peers are optional, and installed for the tests', () => {
    for (const name of Object.keys(manifest.peerDependencies)) {
      expect(manifest.peerDependenciesMeta[name]).toEqual({ optional: true });
      expect(manifest.devDependencies).toHaveProperty([name]);
    }
  });

  test('are all described in docs/internals/dependencies.md', () => {
    const page = textOf('docs/internals/dependencies.md');
    const all = [manifest.dependencies, manifest.peerDependencies, manifest.devDependencies].flatMap((table) =>
      Object.keys(table),
    );
    expect(all.filter((name) => !page.includes(`\`${name}\``))).toEqual([]);
  });
});

describe('the lockfile', () => {
  interface Locked {
    readonly resolved?: string;
    readonly integrity?: string;
    readonly link?: boolean;
    readonly license?: string;
    readonly dev?: boolean;
  }
  const lock = JSON.parse(textOf('package-lock.json')) as {
    readonly version: string;
    readonly packages: Readonly<Record<string, Locked>>;
  };
  const packages = Object.entries(lock.packages).filter(([path]) => path !== '');

  test('contains no host and no machine path', () => {
    expect(
      packages.filter(([, { resolved, link }]) => resolved !== undefined || link === true).map(([path]) => path),
    ).toEqual([]);
    expect(textOf('package-lock.json')).not.toMatch(/"(file:|git\+)/);
  });

  test('has a hash of every package', () => {
    expect(packages.filter(([, { integrity }]) => integrity === undefined).map(([path]) => path)).toEqual([]);
  });

  test('lists only permissive licences for installed packages', () => {
    const allowed = new Set(['MIT', 'ISC', '0BSD', 'BSD-2-Clause', 'BSD-3-Clause', 'Apache-2.0']);
    expect(
      packages
        .filter(([, { dev, license }]) => dev !== true && !allowed.has(license ?? ''))
        .map(([path, { license }]) => `${path}: ${license}`),
    ).toEqual([]);
  });

  test('has the current version', () => {
    expect(lock.version).toBe(manifest.version);
  });
});
