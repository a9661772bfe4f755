import config from './vitest.config.js';
export default { ...config, resolve: { alias: [{ find: /^@kubernetes\/client-node$/, replacement: '/tmp/w/cn1/node_modules/@kubernetes/client-node/dist/index.js' }, ...(config as any).resolve.alias] } };
