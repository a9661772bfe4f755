import type { ApiServer } from '../../apiserver/index.js';
import { messageOf, type ApiObject, type JsonValue, type Logger } from '../../foundation/index.js';
import {
  definitionObject,
  establishmentProblem,
  nameOfDefinition,
  readDefinitions,
  type WrittenDefinition,
} from '../../kinds/index.js';
import { PROGRAM } from '../command.js';
import { StartError } from '../usage-error.js';
import { orUsageError } from './files.js';

/**
 * Reads the custom resource definitions of the flag `--crd-dir`.
 *
 * @param directory empty for none
 * @throws UsageError that names the file and document
 */
export async function readCrdDirectory(directory: string): Promise<readonly WrittenDefinition[]> {
  return directory === '' ? [] : orUsageError('crd-dir', () => readDefinitions(directory));
}

/**
 * Creates or updates definitions with server-side apply, takes their fields from other managers, and waits until the
 * controllers have handled them.
 *
 * @throws StartError with all definitions that the server refuses, by file and document
 */
export async function applyDefinitions(
  server: ApiServer,
  definitions: readonly WrittenDefinition[],
  logger: Logger,
): Promise<void> {
  if (definitions.length === 0) return;
  const client = server.client();
  const refused: string[] = [];
  const applied: ApiObject[] = [];
  for (const definition of definitions) {
    try {
      const object = definitionObject(definition, server.dialect);
      applied.push(await client.apply(object, { fieldManager: PROGRAM, force: true, fieldValidation: 'Strict' }));
    } catch (error) {
      refused.push(`${nameOfDefinition(definition)}: ${messageOf(error)}`);
    }
  }
  if (refused.length > 0) throw new StartError(`--crd-dir: ${refused.join('; ')}`);
  await server.settled();
  const names = applied.map(({ metadata }) => metadata.name ?? '');
  logger.info('custom resource definitions applied', { names });
  for (const { apiVersion, kind, metadata } of applied) {
    const name = metadata.name ?? '';
    const { status } = await client.resource({ apiVersion, kind }).get(name);
    const problem = establishmentProblem(status as JsonValue);
    if (problem !== undefined) logger.error(`the kind of ${name} is not served: ${problem}`);
  }
}
