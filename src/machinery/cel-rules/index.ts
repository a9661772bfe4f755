export { checkValidationRules, type CheckRulesOptions } from './check-rules.js';
export { loadRules, RuleCompiler, type CompiledRule } from './compile.js';
export { declaredType, withResourceFields, type DeclaredType } from './declared-type.js';
export { escapedFieldName } from './field-names.js';
export {
  ESTIMATED_RULE_COST_LIMIT,
  ESTIMATED_SCHEMA_COST_LIMIT,
  OBJECT_COST_BUDGET,
  RULE_COST_LIMIT,
} from './limits.js';
export { ruleChecks, type RuleChecks } from './rule-checks.js';
export { RuleValidator, type RuleOptions, type RuleResult } from './validate.js';
