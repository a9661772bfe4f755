// Runs in a separate process: measures the time until the package is loaded, and until a new server has answered.
const start = performance.now();
const { ApiServer, ConfigMap } = await import('orch-apiserver');
const imported = performance.now();
const server = new ApiServer();
await server.client().resource(ConfigMap).namespace('default').list();
const answered = performance.now();
await server.close();
console.log(JSON.stringify({ importMs: imported - start, answerMs: answered - imported }));
