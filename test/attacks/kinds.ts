/** Kinds and objects of the rows. */
import type { Client, Request } from './client.js';
import type { World } from './world.js';

/** Group of the custom kinds. */
export const GROUP = 'attack.example.com';
/** Path of the definitions. */
export const DEFINITIONS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
/** A schema of any object. */
export const ANYTHING = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } as const;

/** A schema as a definition has it. */
export type Schema = Readonly<Record<string, unknown>>;

/** A definition of a kind whose `spec` has a schema. @param more members of its version */
export function definition(spec: Schema, more: object = {}, plural = 'things', members: object = {}): object {
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${plural}.${GROUP}` },
    spec: {
      group: GROUP,
      names: { plural, kind: kindOf(plural) },
      scope: 'Namespaced',
      ...members,
      versions: [
        {
          ...{ name: 'v1', served: true, storage: true },
          schema: { openAPIV3Schema: { type: 'object', properties: { spec } } },
          ...more,
        },
      ],
    },
  };
}

const kindOf = (plural: string): string => `${plural.charAt(0).toUpperCase()}${plural.slice(1, -1)}`;

/** A request that creates a definition. */
export const defining = (body: object): Request => ({
  method: 'POST',
  path: DEFINITIONS,
  body: JSON.stringify(body),
});

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/** Creates a definition, and waits until its kind is served. @throws Error when it is refused */
export async function define({ owner }: World, body: object, plural = 'things'): Promise<void> {
  await owner.must(defining(body));
  await served(owner, plural);
}

/** Waits until a kind is served. */
export async function served(client: Client, plural = 'things'): Promise<void> {
  for (let tries = 0; tries < 200; tries += 1) {
    const { status } = await client.send({ method: 'GET', path: pathOf(plural) });
    if (status === 200) return;
    await pause(50);
  }
  throw new Error(`${plural} are not served`);
}

/** Path of the objects of a custom kind. */
export const pathOf = (plural = 'things'): string => `/apis/${GROUP}/v1/namespaces/attack/${plural}`;

/** The text of an object of a custom kind. @param spec JSON text */
export const thing = (name: string, spec: string, plural = 'things'): string =>
  `{"apiVersion":"${GROUP}/v1","kind":"${kindOf(plural)}","metadata":{"name":"${name}","namespace":"attack"},"spec":${spec}}`;

/** A request that creates an object of a custom kind. */
export const creating = (name: string, spec: () => string, plural = 'things'): Request => ({
  method: 'POST',
  path: pathOf(plural),
  body: () => thing(name, spec(), plural),
});

/** Path of the ConfigMaps of the attackers. */
export const MAPS = '/api/v1/namespaces/attack/configmaps';

/** The text of a ConfigMap. */
export const configMap = (name: string, data: object): string =>
  JSON.stringify({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name }, data });

/** Creates a number of objects from texts, some at once. @throws Error when one is refused */
export async function fill(
  { owner }: World,
  path: string,
  count: number,
  text: (index: number) => string,
): Promise<void> {
  let next = 0;
  const one = async (): Promise<void> => {
    while (next < count) await owner.must({ method: 'POST', path, body: text(next++) });
  };
  await Promise.all(Array.from({ length: 8 }, one));
}
