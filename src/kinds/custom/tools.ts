import {
  appendAll,
  COMPILED_BYTES,
  CompiledArtefacts,
  DEFAULT_DEFINITION_LIMITS,
  expressionBytes,
  inSlices,
  SharedWork,
  type ArtefactSource,
  type CompiledArtefact,
  type DefinitionLimitOptions,
  type DefinitionLimits,
  type Steps,
  type Work,
} from '../../foundation/index.js';
import {
  loadPatternLibrary,
  PatternLibrary,
  programSize,
  UserPatterns,
  type CheckedRules,
  type PatternCompiler,
  type RulesByPath,
  type StructuralSchema,
  type ValueSchema,
} from '../../machinery/index.js';
import { loadRuleCheckers, type RuleChecker, type RuleCheckers } from '../../registry/index.js';

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

/** The parts that the kinds of a server share. */
export interface CustomKindTools {
  /** Where what is compiled is counted; undefined where nothing limits it. */
  readonly compiled?: ArtefactSource | undefined;
  readonly limits?: DefinitionLimitOptions | undefined;
  /** The rules that the checks of definitions have compiled. */
  readonly checkedRules?: CheckedRules | undefined;
}

/** The compiled parts of a schema. */
interface Compiled {
  readonly patterns: UserPatterns | undefined;
  readonly rules: RuleChecker | undefined;
}

/** The libraries that a schema needs, once they are loaded. */
interface Libraries {
  readonly patterns: PatternLibrary | undefined;
  readonly checkerOf: RuleCheckers | undefined;
  /** Estimated memory of all patterns and rules when they are compiled. */
  readonly bytes: number;
}

/**
 * The compiled parts of one version of a custom kind: regular expressions and CEL. The libraries are loaded when the
 * schema needs them, before the first request that uses it. Compiled parts may be given up, and are made again when
 * they are needed.
 */
export class CustomTools {
  readonly #schema: () => StructuralSchema;
  readonly #limits: DefinitionLimits;
  readonly #validation: Loader;
  readonly #compiled: CompiledArtefact<Compiled>;
  readonly #takeChecked: () => RulesByPath | undefined;
  #libraries: Libraries | undefined;

  /**
   * @param schema returns the schema of the fields, as the author wrote it
   * @param takeChecked takes the rules that the check of the definition has compiled
   */
  constructor(
    schema: () => StructuralSchema,
    { compiled = uncounted(), limits }: CustomKindTools = {},
    takeChecked: () => RulesByPath | undefined = () => undefined,
  ) {
    this.#schema = schema;
    this.#takeChecked = takeChecked;
    this.#limits = storedLimits(limits);
    this.#compiled = compiled.artefact();
    this.#validation = new Loader(async () => {
      const { patternInstructions } = this.#limits;
      const work = new SharedWork();
      const found = await inSlices(work, features(schema(), patternInstructions, work), 'definition');
      this.#libraries = {
        patterns: found.hasPatterns ? new PatternLibrary(await loadPatternLibrary(), patternInstructions) : undefined,
        checkerOf: found.hasRules ? await loadRuleCheckers() : undefined,
        bytes: found.bytes,
      };
    });
  }

  /** Loads what the validation needs; undefined when nothing is missing. */
  loadValidation(): Promise<void> | undefined {
    return this.#validation.run();
  }

  /** The checker of the CEL rules; undefined for a schema without rules. */
  get rules(): RuleChecker | undefined {
    return this.#current()?.rules;
  }

  /** Compiles a pattern of the schema, in linear time (RE2). @throws Error for an invalid pattern */
  readonly compilePattern: PatternCompiler = (pattern) => {
    const patterns = this.#current()?.patterns;
    if (patterns === undefined) throw new Error('patterns are not loaded');
    return patterns.compile(pattern);
  };

  #current(): Compiled | undefined {
    const libraries = this.#libraries;
    if (libraries === undefined) return undefined;
    return this.#compiled.value ?? this.#compile(libraries);
  }

  /**
   * Compiles nothing yet: each pattern and each rule is compiled when it is first used, except the rules that the
   * check of the definition has compiled. All are counted at once.
   */
  #compile({ patterns, checkerOf, bytes }: Libraries): Compiled {
    const { versionPatternInstructions } = this.#limits;
    const compiled: Compiled = {
      patterns: patterns === undefined ? undefined : new UserPatterns(patterns, versionPatternInstructions),
      rules: checkerOf?.(this.#schema(), this.#takeChecked()),
    };
    return this.#compiled.keep(compiled, bytes);
  }
}

/** Returns where artefacts are kept that nothing limits. */
export const uncounted = (): ArtefactSource => new CompiledArtefacts(Infinity, () => ({ hold: () => undefined }));

/** Returns the limits for what is stored, which may exceed lower ones. */
function storedLimits(limits: DefinitionLimitOptions = {}): DefinitionLimits {
  const least = DEFAULT_DEFINITION_LIMITS;
  return {
    ...least,
    patternInstructions: Math.max(limits.patternInstructions ?? 0, least.patternInstructions),
    versionPatternInstructions: Math.max(limits.versionPatternInstructions ?? 0, least.versionPatternInstructions),
  };
}

interface Features {
  readonly hasPatterns: boolean;
  readonly hasRules: boolean;
  /** Estimated memory of all patterns and rules when they are compiled. */
  readonly bytes: number;
}

/** Units of work to visit a part of a schema, and to estimate the program of a pattern. */
const PART_UNITS = 8;
const PATTERN_UNITS = 40;

/** Returns which libraries a schema needs, and the memory of what is compiled from it. */
function* features(schema: StructuralSchema, patternInstructions: number, work: Work): Steps<Features> {
  const patterns = new Set<string>();
  let hasRules = false;
  let bytes = 0;
  const seen = new Set<ValueSchema>();
  const open: ValueSchema[] = [schema];
  for (let node = open.pop(); node !== undefined; node = open.pop()) {
    if (seen.has(node)) continue;
    seen.add(node);
    if (work.spend(PART_UNITS)) yield;
    if (node.pattern !== undefined) patterns.add(node.pattern);
    for (const { rule, messageExpression = '' } of node.validations ?? []) {
      hasRules = true;
      bytes += expressionBytes(rule) + expressionBytes(messageExpression);
    }
    appendAll(open, node.properties?.values() ?? []);
    appendAll(open, node.allOf ?? []);
    appendAll(open, node.anyOf ?? []);
    appendAll(open, node.oneOf ?? []);
    for (const child of [node.items, node.additionalProperties, node.not]) if (child !== undefined) open.push(child);
  }
  for (const pattern of patterns) {
    if (work.spend(PATTERN_UNITS)) yield;
    bytes +=
      Math.min(programSize(pattern, patternInstructions), patternInstructions) * COMPILED_BYTES.patternInstruction;
  }
  return { hasPatterns: patterns.size > 0, hasRules, bytes };
}
