/** The subpaths of the package with their source files: the single list for the build and package.json#exports. */
export const subpaths = {
  '.': 'src/entries/index.ts',
  './names': 'src/foundation/dialect/index.ts',
  './meta': 'src/entries/meta.ts',
  './schema': 'src/machinery/schema/index.ts',
  './selectors': 'src/machinery/selectors/index.ts',
  './patch': 'src/machinery/patch/index.ts',
  './apply': 'src/machinery/apply/index.ts',
  './cel': 'src/machinery/cel/index.ts',
  './pki': 'src/security/pki/index.ts',
  './tokens': 'src/security/tokens/index.ts',
  './outbound': 'src/foundation/outbound/index.ts',
  './storage': 'src/entries/storage.ts',
  './storage/memory': 'src/storage/memory/index.ts',
  './storage/sqlite': 'src/storage/sqlite/index.ts',
  './storage/etcd': 'src/storage/etcd/index.ts',
  './storage/cached': 'src/storage/cached/index.ts',
  './resources': 'src/kinds/builtin/index.ts',
  './kinds': 'src/entries/kinds.ts',
  './custom': 'src/kinds/custom/sources/index.ts',
  './registry': 'src/entries/registry.ts',
  './rules': 'src/machinery/cel-rules/index.ts',
  './admission': 'src/entries/admission.ts',
  './authn': 'src/security/authn/index.ts',
  './authz': 'src/security/authz/index.ts',
  './explain': 'src/security/authz/explain/index.ts',
  './codec': 'src/server/codec/index.ts',
  './client': 'src/entries/client.ts',
  './client-node': 'src/client/client-node/client-node.ts',
  './kubeconfig': 'src/client/kubeconfig/index.ts',
  './controllers': 'src/entries/controllers.ts',
  './fetch': 'src/transport/fetch/fetch.ts',
  './node': 'src/transport/node/index.ts',
  './express': 'src/transport/express/express.ts',
  './fastify': 'src/transport/fastify/fastify.ts',
  './hono': 'src/transport/hono/hono.ts',
  './testing': 'src/entries/testing.ts',
  './testing/matchers': 'src/testing/matchers/index.ts',
  './testing/vitest': 'src/testing/vitest.ts',
  './testing/fast-check': 'src/testing/fast-check.ts',
  './testing/record': 'src/testing/record/index.ts',
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
