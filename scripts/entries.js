/** The subpaths of the package with their source files: the single list for the build and package.json#exports. */
export const subpaths = {
  '.': 'src/entries/index.ts',
  './names': 'src/entries/names.ts',
  './meta': 'src/entries/meta.ts',
  './schema': 'src/entries/schema.ts',
  './selectors': 'src/entries/selectors.ts',
  './patch': 'src/entries/patch.ts',
  './apply': 'src/entries/apply.ts',
  './cel': 'src/entries/cel.ts',
  './pki': 'src/entries/pki.ts',
  './tokens': 'src/entries/tokens.ts',
  './outbound': 'src/entries/outbound.ts',
  './storage': 'src/entries/storage.ts',
  './storage/memory': 'src/entries/storage/memory.ts',
  './storage/sqlite': 'src/entries/storage/sqlite.ts',
  './storage/etcd': 'src/entries/storage/etcd.ts',
  './storage/cached': 'src/entries/storage/cached.ts',
  './resources': 'src/entries/resources.ts',
  './kinds': 'src/entries/kinds.ts',
  './custom': 'src/entries/custom.ts',
  './registry': 'src/entries/registry.ts',
  './rules': 'src/entries/rules.ts',
  './admission': 'src/entries/admission.ts',
  './authn': 'src/entries/authn.ts',
  './authz': 'src/entries/authz.ts',
  './explain': 'src/entries/explain.ts',
  './codec': 'src/entries/codec.ts',
  './client': 'src/entries/client.ts',
  './client-node': 'src/entries/client-node.ts',
  './kubeconfig': 'src/entries/kubeconfig.ts',
  './controllers': 'src/entries/controllers.ts',
  './fetch': 'src/entries/fetch.ts',
  './node': 'src/entries/node.ts',
  './express': 'src/entries/express.ts',
  './fastify': 'src/entries/fastify.ts',
  './hono': 'src/entries/hono.ts',
  './testing': 'src/entries/testing.ts',
  './testing/matchers': 'src/entries/testing/matchers.ts',
  './testing/vitest': 'src/entries/testing/vitest.ts',
  './testing/fast-check': 'src/entries/testing/fast-check.ts',
  './testing/record': 'src/entries/testing/record.ts',
};

/** Returns the name of a built file without extension: `./storage/memory` becomes `storage/memory`. */
export const outputOf = (subpath) => (subpath === '.' ? 'index' : subpath.slice(2));

/** Returns the name of the declarations of a source file, which the compiler makes file by file. */
export const declarationsOf = (source) => `types/${source.slice('src/'.length).replace(/\.ts$/, '.d.ts')}`;

/** Entry points of the bundler. */
export const entries = {
  ...Object.fromEntries(Object.entries(subpaths).map(([subpath, source]) => [outputOf(subpath), source])),
  'cli/main': 'src/cli/main.ts',
};
