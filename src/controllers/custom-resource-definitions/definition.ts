import type { Client } from '../../client/index.js';
import type { Dialect } from '../../foundation/index.js';
import {
  CustomResourceDefinition,
  hasCondition,
  withCondition,
  type CustomResourceDefinitionCondition,
} from '../../kinds/index.js';
import type { ObjectOf } from '../../registry/index.js';

/** A CustomResourceDefinition as the API returns it. */
export type Definition = ObjectOf<typeof CustomResourceDefinition>;

/** A condition without its time. */
export type Condition = Omit<CustomResourceDefinitionCondition, 'lastTransitionTime'>;

/** Returns whether a condition of a definition has a status. */
export const isCondition = ({ status }: Definition, type: string, value: string): boolean =>
  hasCondition(status.conditions, type, value);

/** Returns whether a definition has a condition with the same status, reason and message. */
export function hasSameCondition({ status }: Definition, { type, ...wanted }: Condition): boolean {
  const found = status.conditions?.find((condition) => condition.type === type);
  return found?.status === wanted.status && found.reason === wanted.reason && found.message === wanted.message;
}

/** The writer of definitions: the server itself, in its own name. */
export interface DefinitionWriter {
  readonly client: Client;
  readonly dialect: Dialect;
}

/** Writes the status of a definition. Returns the stored definition. */
export function writeStatus(
  { client, dialect }: DefinitionWriter,
  definition: Definition,
  status: Partial<Definition['status']>,
): Promise<Definition> {
  return client
    .resource(CustomResourceDefinition)
    .updateSubresource(
      'status',
      { ...definition, status: { ...definition.status, ...status } },
      { fieldManager: dialect.apiServerName },
    );
}

/** Sets conditions of a definition and writes its status. */
export function writeConditions(
  writer: DefinitionWriter,
  definition: Definition,
  conditions: readonly Condition[],
  nowMs: number,
): Promise<Definition> {
  let present = definition.status.conditions;
  for (const condition of conditions) present = withCondition(present, condition, nowMs);
  return writeStatus(writer, definition, { conditions: present });
}
