/** Objects of built-in kinds with lists as long as a body allows. */
import type { Row } from '../row.js';
import { filled, once } from '../texts.js';

const CORE = '/api/v1/namespaces/attack';

/** Number of items: their text fits into a body. */
const MOST = 80_000;

const many = (item: (index: number) => string): string =>
  Array.from({ length: MOST }, (_, index) => item(index)).join();
const address = (index: number): string => `10.${(index >> 16) & 255}.${(index >> 8) & 255}.${index & 255}`;
const pod = (spec: string): string => `"spec":{"containers":[{"name":"c","image":"i"}],${spec}}`;

const container = (fields: string): string => `"spec":{"containers":[{"name":"c","image":"i",${fields}}]}`;

/** Length of the lists of an object that the storage accepts, and the memory of such an object. */
const STORED_BYTES = 900_000;
const STORED_MB = 24;
/** Ports with numbers of their own. */
const ports = (port: (index: number) => string): string =>
  Array.from({ length: 30_000 }, (_, index) => port(index)).join();

interface Long {
  readonly path: string;
  readonly type: string;
  readonly members: () => string;
}

/** The path, the type and the members of the objects. */
const OBJECTS: Readonly<Record<string, Long>> = {
  'addresses of a service': {
    path: `${CORE}/services`,
    type: '"apiVersion":"v1","kind":"Service"',
    members: () => `"spec":{"ports":[{"port":1}],"clusterIPs":[${filled((index) => `"${address(index)}"`)}]}`,
  },
  'ports of a service': {
    path: `${CORE}/services`,
    type: '"apiVersion":"v1","kind":"Service"',
    members: () => `"spec":{"ports":[${many((index) => `{"port":${index % 9}}`)}]}`,
  },
  'resources of a quota': {
    path: `${CORE}/resourcequotas`,
    type: '"apiVersion":"v1","kind":"ResourceQuota"',
    members: () => `"spec":{"hard":{${filled((index) => `"k${index}":"1"`)}}}`,
  },
  'spread constraints of a pod': {
    path: `${CORE}/pods`,
    type: '"apiVersion":"v1","kind":"Pod"',
    members: () => pod(`"topologySpreadConstraints":[${many((index) => `{"maxSkew":${index}}`)}]`),
  },
  'items of a volume': {
    path: `${CORE}/pods`,
    type: '"apiVersion":"v1","kind":"Pod"',
    members: () => pod(`"volumes":[{"name":"v","secret":{"items":[${many((index) => `{"path":"p${index}"}`)}]}}]`),
  },
  'name servers of a pod': {
    path: `${CORE}/pods`,
    type: '"apiVersion":"v1","kind":"Pod"',
    members: () => pod(`"dnsConfig":{"nameservers":[${filled((index) => `"${address(index)}"`)}]}`),
  },
  'labels in a selector of a deployment': {
    path: '/apis/apps/v1/namespaces/attack/deployments',
    type: '"apiVersion":"apps/v1","kind":"Deployment"',
    members: () => `"spec":{"selector":{"matchExpressions":[${many((index) => `{"key":"k${index}"}`)}]}}`,
  },
};

/** Objects that are stored: admission, warnings and controllers go through their lists as well. */
const STORED: Readonly<Record<string, Long>> = {
  'equal ports of a pod': {
    path: `${CORE}/pods`,
    type: '"apiVersion":"v1","kind":"Pod"',
    members: () => container(`"ports":[${filled(() => '{"containerPort":1}', ',', STORED_BYTES)}]`),
  },
  'ports of a node': {
    path: `${CORE}/pods`,
    type: '"apiVersion":"v1","kind":"Pod"',
    members: () => container(`"ports":[${ports((index) => `{"containerPort":1,"hostPort":${index + 1}}`)}]`),
  },
  'hidden variables of a pod': {
    path: `${CORE}/pods`,
    type: '"apiVersion":"v1","kind":"Pod"',
    members: () => container(`"env":[${filled((index) => `{"name":"E${index % 9}"}`, ',', STORED_BYTES)}]`),
  },
  'node ports of a service': {
    path: `${CORE}/services?dryRun=All`,
    type: '"apiVersion":"v1","kind":"Service"',
    members: () =>
      `"spec":{"type":"NodePort","ports":[${ports((index) => `{"name":"p${index}","port":${index + 1}}`)}]}`,
  },
  'amounts of a quota': {
    path: `${CORE}/resourcequotas`,
    type: '"apiVersion":"v1","kind":"ResourceQuota"',
    members: () => `"spec":{"hard":{${filled((index) => `"count/k${index}.x":"1"`, ',', STORED_BYTES)}}}`,
  },
};

const rowsOf = (objects: Readonly<Record<string, Long>>, statuses: readonly number[], keepsMb = 0): readonly Row[] =>
  Object.entries(objects).flatMap(([name, { path, type, members }]): Row[] => {
    const body = once(() => `{${type},"metadata":{"generateName":"long-"},${members()}}`);
    return [1, 4].map((times): Row => ({
      ...{ name: `${name}, ${times}`, rights: 'edit', statuses, keepsMb: keepsMb * times },
      sends: [{ request: { method: 'POST', path, body }, times }],
    }));
  });

/** The rows. */
export const builtins: readonly Row[] = [...rowsOf(OBJECTS, [400, 413, 422]), ...rowsOf(STORED, [201], STORED_MB)];
