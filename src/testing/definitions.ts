import type { ApiServer } from '../apiserver/index.js';
import { messageOf, type JsonValue } from '../foundation/index.js';
import {
  DEFINITION_KIND,
  definitionApiVersion,
  definitionObject,
  establishmentProblem,
  nameOfDefinition,
  readDefinitions,
  type DefinitionSource,
} from '../kinds/index.js';

/**
 * Creates custom resource definitions, and waits until their kinds are served.
 *
 * @param settled waits until the controllers have no work left
 * @throws TypeError for a source without definitions; Error with all definitions that the server refuses
 */
export async function createDefinitions(
  server: ApiServer,
  sources: readonly DefinitionSource[],
  settled: () => Promise<void>,
): Promise<void> {
  const { dialect } = server;
  const written = (await Promise.all(sources.map(readDefinitions))).flat();
  const definitions = server.client().resource({ apiVersion: definitionApiVersion(dialect), kind: DEFINITION_KIND });
  const problems: string[] = [];
  const created: { readonly title: string; readonly name: string }[] = [];
  for (const definition of written) {
    const title = nameOfDefinition(definition);
    try {
      const { metadata } = await definitions.create(definitionObject(definition, dialect), {
        fieldValidation: 'Strict',
      });
      created.push({ title, name: metadata.name ?? '' });
    } catch (error) {
      problems.push(`${title}: ${messageOf(error)}`);
    }
  }
  await settled();
  for (const { title, name } of created) {
    const { status } = await definitions.get(name);
    const problem = establishmentProblem(status as JsonValue);
    if (problem !== undefined) problems.push(`${title}: ${problem}`);
  }
  if (problems.length > 0) throw new Error(`startTestServer: ${problems.join('\n')}`);
}
