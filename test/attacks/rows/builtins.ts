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

/** The rows. */
export const builtins: readonly Row[] = Object.entries(OBJECTS).flatMap(([name, { path, type, members }]): Row[] => {
  const body = once(() => `{${type},"metadata":{"name":"long"},${members()}}`);
  return [1, 4].map((times): Row => ({
    name: `${name}, ${times}`,
    rights: 'edit',
    sends: [{ request: { method: 'POST', path, body }, times }],
    statuses: [400, 413, 422],
  }));
});
