import { decodeUtf8Lossy, encodeUtf8, utf8Length } from '../../foundation/index.js';
import type { RequestContext } from '../../registry/index.js';
import type { ValidationFailure } from './evaluate-policy.js';
import type { Binding } from './policy-index.js';

/** Maximum length of a value, in bytes. */
const MAX_VALUE_BYTES = 10 * 1024;

/** The annotations that one policy adds to the audit event of a request. */
export class AuditAnnotations {
  readonly #policyName: string;
  readonly #context: RequestContext;
  /** Values by key, each once. Bindings may give different ones. */
  #values: Map<string, string[]> | undefined;

  constructor(policyName: string, context: RequestContext) {
    this.#policyName = policyName;
    this.#context = context;
  }

  /** Adds a value of an audit annotation of the policy. */
  add(key: string, value: string): void {
    const shown = utf8Length(value) > MAX_VALUE_BYTES ? truncated(value) : value;
    const known = (this.#values ??= new Map<string, string[]>());
    const values = known.get(key);
    if (values === undefined) known.set(key, [shown]);
    else if (!values.includes(shown)) values.push(shown);
  }

  /** Records a failed validation for the action Audit. The first failure of a request stays, as in Kubernetes. */
  addFailure({ name, spec }: Binding, { index, message }: ValidationFailure): void {
    const failure = {
      message,
      policy: spec.policyName ?? '',
      binding: name,
      expressionIndex: index,
      validationActions: spec.validationActions ?? [],
    };
    this.#context.annotate?.(
      `validation.policy.admission.${this.#context.dialect.groupSuffix}/validation_failure`,
      JSON.stringify([failure]),
    );
  }

  /** Adds the annotations to the audit event: their keys begin with the name of the policy. */
  publish(): void {
    for (const [key, values] of this.#values ?? [])
      this.#context.annotate?.(`${this.#policyName}/${key}`, values.join(', '));
  }
}

/** Cuts a text at the limit, before a character that would cross it. */
function truncated(text: string): string {
  const bytes = encodeUtf8(text);
  let end = MAX_VALUE_BYTES;
  // The following bytes of a character begin with the bits 10.
  while (end > 0 && ((bytes[end] ?? 0) & 0xc0) === 0x80) end -= 1;
  return decodeUtf8Lossy(bytes.subarray(0, end));
}
