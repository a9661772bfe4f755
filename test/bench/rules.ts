import { kubernetes } from '../../src/foundation/index.js';
import { loadRules, RuleValidator } from '../../src/machinery/cel-rules/index.js';
import { structuralSchema } from '../../src/machinery/schema/openapi/from-json-schema.js';
import { schemaExtensions, type JsonSchemaProps } from '../../src/machinery/schema/openapi/json-schema.js';
import { interleaved, type Measure } from './measure.js';

const ROUNDS = 15;
const BATCH = 2000;

const extensions = schemaExtensions(kubernetes.openApi.extensionPrefix);
const withRules = (props: JsonSchemaProps, ...rules: readonly string[]): JsonSchemaProps => ({
  ...props,
  [extensions.validations]: rules.map((rule) => ({ rule })),
});
const text = (...rules: readonly string[]): JsonSchemaProps => withRules({ type: 'string', maxLength: 64 }, ...rules);
const integer: JsonSchemaProps = { type: 'integer' };

const port = withRules(
  { type: 'object', properties: { name: text(), port: integer, protocol: text() } },
  'self.port > 0 && self.port < 65536',
  "self.protocol in ['TCP', 'UDP']",
);
const properties: Record<string, JsonSchemaProps> = {
  range: withRules({ type: 'object', properties: { min: integer, max: integer } }, 'self.min <= self.max'),
  name: text("self.lowerAscii() == self && !self.startsWith('-')", 'self.size() > 2'),
  level: withRules(integer, 'self >= oldSelf'),
  fixed: text('self == oldSelf'),
  tags: withRules({ type: 'array', items: text() }, 'self.all(t, t.size() > 1)', "self.exists_one(t, t == 'main')"),
  limits: withRules({ type: 'object', additionalProperties: integer }, 'self.all(k, self[k] > 0)'),
  either: withRules({ type: 'object', properties: { a: text(), b: text() } }, 'has(self.a) != has(self.b)'),
  wait: withRules({ type: 'string', format: 'duration' }, "self <= duration('1h')"),
  at: withRules({ type: 'string', format: 'date-time' }, "self > timestamp('2020-01-01T00:00:00Z')"),
  numbers: withRules({ type: 'array', items: integer }, 'self.sum() < 10', 'self.isSorted()'),
  code: text("self.matches('^[A-Z]{2}-[0-9]+$')", "self.split('-').size() == 2", "self.find('[0-9]+') != '0'"),
  ports: { type: 'array', items: port },
};
const schema: JsonSchemaProps = {
  type: 'object',
  properties: { spec: withRules({ type: 'object', properties }, '!has(self.name) || self.name.size() < 10') },
};

const object = {
  apiVersion: 'example.com/v1',
  kind: 'Form',
  metadata: {
    name: 'form',
    namespace: 'default',
    uid: '7a0c2d0e-1111-2222-3333-444455556666',
    resourceVersion: '123',
    creationTimestamp: '2024-01-01T00:00:00Z',
    labels: { app: 'form', tier: 'web' },
    annotations: { note: 'x'.repeat(100) },
    managedFields: [
      {
        manager: 'bench',
        operation: 'Update',
        apiVersion: 'example.com/v1',
        time: '2024-01-01T00:00:00Z',
        fieldsType: 'FieldsV1',
        fieldsV1: { 'f:spec': Object.fromEntries(Object.keys(properties).map((name) => [`f:${name}`, {}])) },
      },
    ],
  },
  spec: {
    range: { min: 1, max: 2 },
    name: 'abc',
    level: 3,
    fixed: 'x',
    tags: ['main', 'other'],
    limits: { a: 1 },
    either: { a: 'a' },
    wait: '30m',
    at: '2024-01-01T00:00:00Z',
    numbers: [1, 2, 3],
    code: 'AB-12',
    ports: [{ name: 'http', port: 80, protocol: 'TCP' }],
  },
};

/** The cost of twenty validation rules, against that of reading the object's JSON. */
export async function rules(): Promise<Measure[]> {
  const validator = new RuleValidator(structuralSchema(schema, extensions), await loadRules());
  const json = JSON.stringify(object);
  const old = JSON.parse(json) as typeof object;
  if (validator.validate(object, old).errors.length > 0) throw new Error('a rule fails');
  let sink = 0;
  const repeat = (work: () => number) => (): void => {
    for (let index = 0; index < BATCH; index += 1) sink += work();
  };
  const costs = await interleaved(ROUNDS, {
    parse: repeat(() => ((JSON.parse(json) as typeof object).kind === 'Form' ? 1 : 0)),
    validate: repeat(() => validator.validate(object, old).errors.length + 1),
  });
  if (sink === 0) throw new Error('nothing was checked');
  const each = (cost: { cpuUs: number }): string => (cost.cpuUs / BATCH).toFixed(1);
  return [
    {
      name: '20 validation rules against JSON.parse of the object',
      value: costs.validate.cpuUs / costs.parse.cpuUs,
      unit: '×',
      target: { sense: '<=', value: 5 },
      detail: `${each(costs.validate)} µs against ${each(costs.parse)} µs, ${json.length} bytes`,
    },
  ];
}
