import { appendAll } from '../meta/append-to.js';
import { PatternLibrary } from '../patterns/index.js';
import type { PatternCompiler } from '../schema/validate-scalars.js';
import { UserPatterns } from '../schema/user-patterns.js';
import type { StructuralSchema, ValueSchema } from '../schema/structural.js';
import { loadRuleChecker, type RuleChecker } from '../registry/rules.js';

/** Loads something once; a failure is forgotten, so that the next call tries again. */
class Loader {
  readonly #load: () => Promise<void>;
  #loaded = false;
  #loading: Promise<void> | undefined;

  constructor(load: () => Promise<void>) {
    this.#load = load;
  }

  /** Undefined when everything is loaded. */
  run(): Promise<void> | undefined {
    if (this.#loaded) return undefined;
    this.#loading ??= this.#load()
      .then(() => void (this.#loaded = true))
      .finally(() => (this.#loading = undefined));
    return this.#loading;
  }
}

/**
 * The libraries of one version of a custom kind: regular expressions and CEL. Each is loaded when the schema needs it,
 * before the first request that uses it.
 */
export class CustomTools {
  readonly #validation: Loader;
  #patterns: UserPatterns | undefined;
  #rules: RuleChecker | undefined;

  /** @param schema returns the schema of the fields, as the author wrote it */
  constructor(schema: () => StructuralSchema) {
    this.#validation = new Loader(async () => {
      const found = featuresOf(schema());
      if (found.patterns) this.#patterns = await loadPatterns();
      if (found.rules) this.#rules = await loadRuleChecker(schema());
    });
  }

  /** Loads what the validation needs; undefined when nothing is missing. */
  loadValidation(): Promise<void> | undefined {
    return this.#validation.run();
  }

  /** Memory of the patterns that are compiled, in bytes. */
  get patternBytes(): number {
    return this.#patterns?.bytes ?? 0;
  }

  /** The checker of the CEL rules; undefined for a schema without rules. */
  get rules(): RuleChecker | undefined {
    return this.#rules;
  }

  /** Compiles a pattern of the schema, in linear time (RE2). @throws Error for an invalid pattern */
  readonly compilePattern: PatternCompiler = (pattern) => {
    if (this.#patterns === undefined) throw new Error('patterns are not loaded');
    return this.#patterns.compile(pattern);
  };
}

interface Features {
  patterns: boolean;
  rules: boolean;
}

/** Returns which libraries a schema needs. */
function featuresOf(schema: StructuralSchema): Features {
  const found: Features = { patterns: false, rules: false };
  const seen = new Set<ValueSchema>();
  const open: ValueSchema[] = [schema];
  for (let node = open.pop(); node !== undefined; node = open.pop()) {
    if (seen.has(node)) continue;
    seen.add(node);
    found.patterns ||= node.pattern !== undefined;
    found.rules ||= (node.validations?.length ?? 0) > 0;
    appendAll(open, node.properties?.values() ?? []);
    appendAll(open, node.allOf ?? []);
    appendAll(open, node.anyOf ?? []);
    appendAll(open, node.oneOf ?? []);
    for (const child of [node.items, node.additionalProperties, node.not]) if (child !== undefined) open.push(child);
  }
  return found;
}

async function loadPatterns(): Promise<UserPatterns> {
  return new UserPatterns(new PatternLibrary(await import('re2js')));
}
