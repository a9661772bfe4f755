/**
 * The schemas of commands and their answers.
 *
 * @module
 */
import type { JsonObject } from '../../foundation/index.js';

const KIB = 1024;
/** Maximum size of a command's body, in bytes. */
export const COMMAND_LIMIT = 256 * KIB;
/** Maximum size of manifests, in bytes. */
export const MANIFESTS_LIMIT = 32 * KIB * KIB;

/** Returns the schema of a string. */
export const text = (description: string): JsonObject => ({ type: 'string', description });
/** Returns a reference to one of the {@link schemas}. */
export const reference = (name: string): JsonObject => ({ $ref: `#/components/schemas/${name}` });
/** Returns the schema of an object. */
export const objectOf = (properties: JsonObject, required: readonly string[]): JsonObject => ({
  type: 'object',
  properties,
  required,
});

/** The schemas that several commands use. */
export const schemas: Readonly<Record<string, JsonObject>> = {
  Server: objectOf(
    {
      id: text('Name of a fork; absent for the server that the program started.'),
      url: text('URL of the Kubernetes API.'),
      token: text('Bearer token of the owner, for the Kubernetes API.'),
      certificateAuthority: text("Authority of the API's certificate, in PEM."),
      control: text('URL of the commands of this server.'),
      kubeconfig: text('A kubeconfig of the owner, in YAML.'),
    },
    ['url', 'token', 'control', 'kubeconfig'],
  ),
  Clock: objectOf(
    {
      now: { type: 'string', format: 'date-time', description: 'Time of the server.' },
      time: { type: 'string', enum: ['real', 'manual'], description: "Whether time runs with the host's clock." },
    },
    ['now', 'time'],
  ),
  Fault: objectOf(
    {
      id: text('Name of the rule.'),
      hits: { type: 'integer', minimum: 0, description: 'How often the rule was applied.' },
      rule: { type: 'object', description: 'The rule as it was given.' },
    },
    ['id', 'hits', 'rule'],
  ),
  SimulationRule: objectOf(
    {
      id: text('Name of the rule.'),
      hits: { type: 'integer', minimum: 0, description: 'Number of pods or nodes that have followed the rule.' },
      rule: { type: 'object', description: 'The rule as it was given.' },
    },
    ['id', 'hits', 'rule'],
  ),
  Status: objectOf(
    {
      kind: { type: 'string', enum: ['Status'] },
      apiVersion: { type: 'string', enum: ['v1'] },
      status: { type: 'string', enum: ['Success', 'Failure'] },
      message: text('What went wrong, and what helps.'),
      reason: text('The kind of failure, as one word.'),
      code: { type: 'integer', description: 'HTTP status code.' },
    },
    ['kind', 'apiVersion', 'status'],
  ),
};

/** Returns the schema of a list. */
export const itemsOf = (schema: JsonObject): JsonObject =>
  objectOf({ items: { type: 'array', items: schema } }, ['items']);
/** The success of a command that returns nothing. */
export const success = { code: 200, schema: reference('Status') };
/** The answer to it. */
export const SUCCESS = { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Success' } as const;
