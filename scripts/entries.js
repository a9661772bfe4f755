/** The subpaths of the package with their source files: the single list for the build and package.json#exports. */
export const subpaths = {
  '.': 'src/index.ts',
  './names': 'src/names/index.ts',
  './meta': 'src/meta/index.ts',
  './schema': 'src/schema/index.ts',
  './selectors': 'src/selectors/index.ts',
  './patch': 'src/patch/index.ts',
  './apply': 'src/apply/index.ts',
  './cel': 'src/cel/index.ts',
  './pki': 'src/pki/index.ts',
  './tokens': 'src/tokens/index.ts',
  './outbound': 'src/outbound/index.ts',
  './storage': 'src/storage/index.ts',
  './storage/memory': 'src/storage/memory/index.ts',
  './storage/sqlite': 'src/storage/sqlite/index.ts',
  './storage/etcd': 'src/storage/etcd/index.ts',
  './storage/cached': 'src/storage/cached/index.ts',
  './resources': 'src/resources/index.ts',
  './kinds': 'src/kinds/index.ts',
  './custom': 'src/custom/sources/index.ts',
  './registry': 'src/registry/index.ts',
  './rules': 'src/rules/index.ts',
  './admission': 'src/admission/index.ts',
  './authn': 'src/authn/index.ts',
  './authz': 'src/authz/index.ts',
  './explain': 'src/authz/explain/index.ts',
  './codec': 'src/codec/index.ts',
  './client': 'src/client/index.ts',
  './client-node': 'src/client/client-node.ts',
  './kubeconfig': 'src/client/kubeconfig/index.ts',
  './controllers': 'src/controllers/index.ts',
  './fetch': 'src/transport/fetch.ts',
  './node': 'src/transport/node/index.ts',
  './express': 'src/transport/node/express.ts',
  './fastify': 'src/transport/node/fastify.ts',
  './hono': 'src/transport/hono.ts',
  './testing': 'src/testing/index.ts',
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
