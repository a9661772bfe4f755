import { ApiServer } from './src/index.ts';
import { inProcessDispatcher } from './src/client/client-node-dispatcher.ts';
const server = new ApiServer({ dialect: 'kubernetes' });
const token = /token: (\S+)/.exec(server.kubeConfig())![1];
inProcessDispatcher({handle: async (r) => { const a = await server.handle(r); console.log(a); return a; }}).dispatch({ path: '/api/v1/namespaces', method: 'GET', headers: { authorization: 'Bearer ' + token } }, {
  onResponseStart: (c, s, h) => console.log(s, h), onResponseData: (c, d) => console.log(d.constructor.name, d.length, new TextDecoder().decode(d).slice(0, 200)), onResponseEnd: () => console.log('end'), onResponseError: (c, e) => console.log(e),
});
