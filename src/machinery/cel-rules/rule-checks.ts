import type { FieldError, JsonValue, Steps, Work } from '../../foundation/index.js';
import type { StructuralSchema } from '../schema/define/structural.js';
import { checkValidationRules, type CheckRulesOptions } from './check-rules.js';
import type { RuleCompiler } from './compile.js';
import { RuleValidator } from './validate.js';

/** The checks of a schema that need expressions. */
export interface RuleChecks {
  /** As {@link checkValidationRules}. */
  readonly checkValidationRules: (root: StructuralSchema, options: CheckRulesOptions) => Steps<FieldError[]>;
  /**
   * Checks the default of a schema by the schema's rules. As in Kubernetes, transition rules compare the default with
   * itself; those that do not need an old value must hold without one, too.
   */
  readonly checkDefault: (
    schema: StructuralSchema,
    value: JsonValue,
    path: string,
    work: Work,
  ) => Steps<readonly FieldError[]>;
}

/** Returns the checks of schemas for a compiler of rules. */
export function ruleChecks(compiler: RuleCompiler): RuleChecks {
  return {
    checkValidationRules: (root, options) => checkValidationRules(root, compiler, options),
    *checkDefault(schema, value, path, work) {
      const validator = new RuleValidator(schema, compiler, schema.embeddedResource === true);
      const { errors } = yield* validator.validateInSlices(value, value, work, { path });
      return errors.length > 0 ? errors : (yield* validator.validateInSlices(value, undefined, work, { path })).errors;
    },
  };
}
