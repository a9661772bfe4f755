import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../../src/foundation/json/json.js';
import { RuleValidator } from '../../../src/machinery/cel-rules/index.js';
import type { JsonSchemaProps } from '../../../src/machinery/schema/openapi/json-schema.js';
import { recordingsDirectory } from '../../conformance/golden/recordings.js';
import { compiledSchema, compiler, ruleErrors } from './support.js';

interface Cause {
  readonly field: string;
  readonly message?: string;
  readonly reason: string;
}

interface Step {
  readonly name: string;
  readonly request?: { readonly method?: string; readonly path: string; readonly json?: JsonObject };
  readonly recorded?: { readonly status: number; readonly body: { readonly details?: { readonly causes?: Cause[] } } };
}

const { steps } = JSON.parse(readFileSync(`${recordingsDirectory()}/cases/crd-cel.json`, 'utf8')) as {
  steps: readonly Step[];
};

function schemaOf(definition: JsonObject | undefined): JsonSchemaProps {
  const { versions } = definition?.['spec'] as unknown as {
    versions: { schema: { openAPIV3Schema: JsonSchemaProps } }[];
  };
  return versions[0]?.schema.openAPIV3Schema ?? {};
}

const isDefinition = ({ request }: Step): boolean =>
  request?.method === 'POST' && request.path.endsWith('/customresourcedefinitions');
const isObject = ({ request }: Step): boolean => request?.method === 'POST' && request.path.endsWith('/forms');

const withoutTimes = (text: string | undefined): string | undefined =>
  text?.replace(/\d{4}-\d\d-\d\dT[\d:]+Z/, '<time>');

describe('recorded rules', () => {
  const definition = schemaOf(steps.find(isDefinition)?.request?.json);

  test.each(steps.filter(isDefinition))('$name', ({ request, recorded }) => {
    const found = ruleErrors(schemaOf(request?.json));
    const causes = recorded?.body.details?.causes ?? [];
    const fields = found.map((text) => text.slice(0, text.indexOf(': ')));
    expect(fields.sort()).toEqual(causes.map(({ field }) => field).sort());
    for (const { field, message } of causes) if (message !== undefined) expect(found).toContain(`${field}: ${message}`);
  });

  test.each(steps.filter(isObject))('$name', ({ request, recorded }) => {
    const validator = new RuleValidator(compiledSchema(definition), compiler);
    const { errors, warnings } = validator.validate(request?.json ?? {});
    const causes = recorded?.body.details?.causes ?? [];
    expect(errors.map(({ field }) => field)).toEqual(causes.map(({ field }) => field));
    for (const [index, { message }] of causes.entries())
      if (message !== undefined) expect(withoutTimes(errors[index]?.body)).toBe(message);
    expect(warnings).toEqual([]);
  });
});
