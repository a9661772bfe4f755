/** The public entries of the package with their source files: the single list for the build and package.json#exports. */
export const subpaths = {
  '.': 'src/entries/index.ts',
  './kinds': 'src/entries/kinds.ts',
  './schema': 'src/entries/schema.ts',
  './patch': 'src/entries/patch.ts',
  './apply': 'src/entries/apply.ts',
  './cel': 'src/entries/cel.ts',
  './pki': 'src/entries/pki.ts',
  './tokens': 'src/entries/tokens.ts',
  './rbac': 'src/entries/rbac.ts',
  './storage': 'src/entries/storage.ts',
  './storage/memory': 'src/storage/memory/index.ts',
  './storage/sqlite': 'src/entries/sqlite.ts',
  './storage/etcd': 'src/storage/etcd/index.ts',
  './storage/postgres': 'src/storage/postgres/index.ts',
  './storage/encrypted': 'src/entries/encrypted.ts',
  './storage/cached': 'src/storage/cached/index.ts',
  './workspaces': 'src/apiserver/workspaces/index.ts',
  './client': 'src/entries/client.ts',
  './client-node': 'src/client/client-node/client-node.ts',
  './kubeconfig': 'src/entries/kubeconfig.ts',
  './controllers': 'src/entries/controllers.ts',
  './fetch': 'src/entries/fetch.ts',
  './node': 'src/transport/node/index.ts',
  './express': 'src/transport/express/express.ts',
  './fastify': 'src/transport/fastify/fastify.ts',
  './hono': 'src/transport/hono/hono.ts',
  './testing': 'src/entries/testing.ts',
  './testing/vitest': 'src/testing/vitest.ts',
  './testing/fast-check': 'src/testing/fast-check.ts',
  './testing/record': 'src/testing/record/index.ts',
  './testing/suites': 'src/entries/suites.ts',
};

/** Entries with another source where there is no Node, such as in browsers. The types are the same. */
export const webSubpaths = {
  './client': 'src/entries/client-web.ts',
};

/** Returns the name of the built file of an entry where there is no Node. */
export const webOutputOf = (subpath) => `${outputOf(subpath)}-web`;

/** Returns the name of a built file without extension: `./storage/memory` becomes `storage/memory`. */
export const outputOf = (subpath) => (subpath === '.' ? 'index' : subpath.slice(2));

/** Entry points of the bundler. */
export const entries = {
  ...Object.fromEntries(Object.entries(subpaths).map(([subpath, source]) => [outputOf(subpath), source])),
  ...Object.fromEntries(Object.entries(webSubpaths).map(([subpath, source]) => [webOutputOf(subpath), source])),
  'cli/main': 'src/cli/main.ts',
};
