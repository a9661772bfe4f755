import { FieldErrorList, formatGoDuration, invalid, required, type JsonValue } from '../../foundation/index.js';
import { readAs, structNode, text, type StructuralSchema } from '../../machinery/index.js';
import type { ImagePolicyOptions } from '../plugins/images/image-policy-options.js';
import { requireValid } from './require-valid.js';

/** The configuration of ImagePolicyWebhook, with the file that says where its service is. */
export interface ImagePolicyConfiguration extends Omit<ImagePolicyOptions, 'post'> {
  readonly kubeConfigFile: string;
}

const count: StructuralSchema = Object.freeze({ type: 'integer', format: 'int64', presence: 'always' });

const schema = structNode('AdmissionConfig', {
  imagePolicy: structNode('imagePolicyWebhookConfig', {
    kubeConfigFile: { ...text, presence: 'always' },
    allowTTL: count,
    denyTTL: count,
    retryBackoff: count,
    defaultAllow: { type: 'boolean', presence: 'always' },
  }),
});

type Times = Readonly<Record<'allowTTL' | 'denyTTL' | 'retryBackoff', number>>;

interface Written {
  readonly imagePolicy?: (Times & { readonly kubeConfigFile: string; readonly defaultAllow: boolean }) | undefined;
}

/** How a time is written, and which values are allowed. */
interface TimeRule {
  readonly unitMs: number;
  readonly defaultMs: number;
  readonly leastMs: number;
  readonly mostMs: number;
}

const MINUTE_MS = 60_000;
const ttl = (defaultMs: number): TimeRule => ({ unitMs: 1000, defaultMs, leastMs: 1000, mostMs: 30 * MINUTE_MS });
const RULES: Readonly<Record<keyof Times, TimeRule>> = {
  retryBackoff: { unitMs: 1, defaultMs: 500, leastMs: 1e-6, mostMs: 5 * MINUTE_MS },
  allowTTL: ttl(5 * MINUTE_MS),
  denyTTL: ttl(MINUTE_MS / 2),
};

/** Turns a time off. */
const DISABLED = -1;

/**
 * Reads the configuration of ImagePolicyWebhook, which has no kind: times in seconds, the pause in milliseconds, 0 for
 * the default and -1 for none.
 *
 * @throws Error with all errors
 */
export function readImagePolicy(
  value: JsonValue,
  onUnknownFields: (fields: readonly string[]) => void,
): ImagePolicyConfiguration {
  const { object, unknownFields } = readAs<Written>(value, schema, { origin: 'builtin' });
  if (unknownFields.length > 0) onUnknownFields(unknownFields);
  const { imagePolicy } = object;
  if (imagePolicy === undefined) throw new Error(String(required('imagePolicy')));
  const problems = new FieldErrorList();
  const timeOf = (field: keyof Times): number => {
    const { unitMs, defaultMs, leastMs, mostMs } = RULES[field];
    const given = imagePolicy[field];
    if (given === DISABLED) return 0;
    if (given === 0) return defaultMs;
    const ms = given * unitMs;
    if (ms < leastMs || ms > mostMs) {
      const [least, most, got] = [leastMs, mostMs, ms].map(formatGoDuration);
      problems.push(invalid(`imagePolicy.${field}`, given, `valid value is between ${least} and ${most}, got ${got}`));
    }
    return ms;
  };
  const { kubeConfigFile, defaultAllow } = imagePolicy;
  const configuration = {
    ...{ kubeConfigFile, defaultAllow, retryBackoff: timeOf('retryBackoff') },
    ...{ allowTtl: timeOf('allowTTL'), denyTtl: timeOf('denyTTL') },
  };
  if (kubeConfigFile === '') problems.push(required('imagePolicy.kubeConfigFile'));
  requireValid(problems);
  return configuration;
}
