import {
  appendAll,
  definedOnly,
  invalid,
  notSupported,
  type FieldError,
  type JsonValue,
} from '../../foundation/index.js';
import { list, structNode, text, type StructuralSchema } from '../../machinery/index.js';
import { eventLimitTypes } from '../plugins/events/event-limit-types.js';
import type { EventLimit, EventRateLimitOptions } from '../plugins/events/event-rate-limit.js';
import { readConfiguration, type ConfigurationForm, type ConfigurationReader } from './read-configuration.js';
import { requireValid } from './require-valid.js';

const count: StructuralSchema = Object.freeze({ type: 'integer', format: 'int32', presence: 'always' });

interface WrittenLimit {
  readonly type: string;
  readonly qps: number;
  readonly burst: number;
  readonly cacheSize: number;
}

const form: ConfigurationForm = {
  kinds: [{ group: 'eventratelimit.admission', versions: ['v1alpha1'], kind: 'Configuration' }],
  schema: structNode('Configuration', {
    limits: list(
      structNode('Limit', { type: { ...text, presence: 'always' }, qps: count, burst: count, cacheSize: count }),
      'always',
    ),
  }),
};

/** Reads the configuration of EventRateLimit. @throws Error with all errors, in the words of Kubernetes */
export function readEventRateLimit(value: JsonValue, reader: ConfigurationReader): EventRateLimitOptions {
  const { limits } = readConfiguration<{ readonly limits: readonly WrittenLimit[] }>(value, form, reader);
  const problems: FieldError[] = limits.length === 0 ? [invalid('limits', limits, 'must not be empty')] : [];
  const read = limits.flatMap((limit, index): EventLimit[] => {
    const type = eventLimitTypes.find((known) => known === limit.type);
    appendAll(problems, limitProblems(limit, `limits[${index}]`));
    const { qps, burst, cacheSize } = limit;
    return type === undefined
      ? []
      : [{ type, qps, burst, ...definedOnly({ cacheSize: cacheSize > 0 ? cacheSize : undefined }) }];
  });
  requireValid(problems);
  return { limits: read };
}

function limitProblems({ type, qps, burst, cacheSize }: WrittenLimit, path: string): FieldError[] {
  const known: readonly string[] = eventLimitTypes;
  return [
    ...(known.includes(type) ? [] : [notSupported(`${path}.type`, type, eventLimitTypes)]),
    ...(burst > 0 ? [] : [invalid(`${path}.burst`, burst, 'must be positive')]),
    ...(qps > 0 ? [] : [invalid(`${path}.qps`, qps, 'must be positive')]),
    ...(type === 'Server' || cacheSize >= 0 ? [] : [invalid(`${path}.cacheSize`, cacheSize, 'must not be negative')]),
  ];
}
