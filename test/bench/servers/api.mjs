// The server under measurement: an ApiServer over node http with the objects that the parent asks for.
import { ApiServer, ConfigMap } from 'orch-apiserver';
import { listen } from 'orch-apiserver/node';
import { benchConfigMap } from '../object.mjs';

const objects = Number(process.argv[2]);
const server = new ApiServer({ dialect: 'kubernetes', tokens: [{ token: 'bench', user: { username: 'bench', groups: ['system:masters'] } }] });
const client = server.client().resource(ConfigMap).namespace('default');
for (let index = 0; index < objects; index += 1) await client.create(benchConfigMap(`object-${String(index).padStart(6, '0')}`));
const listener = await listen(server, { port: 0 });
process.on('message', () => process.send?.({ cpu: process.cpuUsage() }));
process.send?.({ url: listener.url });
