import type { Client } from '../../client/index.js';
import { groupName, type Dialect } from '../../foundation/index.js';
import { builtinResources, CustomResourceDefinition } from '../../kinds/index.js';
import { resourceOfWords, type NamedResource } from '../../security/index.js';
import { UsageError } from '../usage-error.js';

/** Objects of a page of a list. */
export const PAGE = 500;

/** The resource of a request, in the words of rules. */
export type WantedResource = ReturnType<typeof resourceOfWords>;

/**
 * Finds a resource by a name that people use, among the built-in kinds and the custom resource definitions of a server:
 * `pods`, `po`, `deployments.apps`, `pods/log`. A resource with its group need not be known.
 *
 * @throws UsageError when no resource or several have the name
 */
export async function resourceNamed(words: string, client: Client, dialect: Dialect): Promise<WantedResource> {
  const known = [...builtin(dialect), ...(await custom(client))];
  const [, name = '', group, subresource = ''] = /^([^./]+)(?:\.([^/]+))?(\/.+)?$/.exec(words) ?? [];
  try {
    return resourceOfWords(group === undefined ? words : `${name}${subresource}`, known, group);
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    throw new UsageError(error.message.replace('needs the option group', 'needs its group: RESOURCE.GROUP'));
  }
}

function builtin(dialect: Dialect): NamedResource[] {
  return builtinResources.map(({ group, plural, singular, kind, shortNames, scope }) => ({
    group: groupName(group, dialect),
    resource: plural,
    singular: singular ?? kind.toLowerCase(),
    shortNames,
    namespaced: scope === 'Namespaced',
  }));
}

async function custom(client: Client): Promise<NamedResource[]> {
  const resources: NamedResource[] = [];
  for await (const { spec } of client.resource(CustomResourceDefinition).each({ limit: PAGE })) {
    const { plural, singular, kind, shortNames } = spec.names;
    resources.push({
      group: spec.group,
      resource: plural,
      singular: singular ?? kind.toLowerCase(),
      shortNames,
      namespaced: spec.scope === 'Namespaced',
    });
  }
  return resources;
}
