import { definedOnly } from '../../foundation/index.js';
import type { Strategy, SubresourceStrategy } from '../definition/strategy.js';
import { hookResult } from '../writes/hook-steps.js';
import { handed, stepsWithCopies, withCopies } from './handed.js';

/** Every member of a type, which may be missing. */
type Members<Type> = { readonly [Name in keyof Type]-?: Type[Name] | undefined };

/**
 * Returns the strategy of a kind of the server's owner with hooks that get copies: of stored objects always, and of the
 * new object once it is checked. Hooks that prepare the new object still change it.
 */
export function handedStrategy(own: Strategy): Strategy {
  const members: Members<Strategy> = { ...settingsOf(own), ...preparingHooks(own), ...readingHooks(own) };
  return definedOnly(members);
}

type Setting =
  | 'nameRule'
  | 'allowCreateOnUpdate'
  | 'allowUnconditionalUpdate'
  | 'countsGeneration'
  | 'deleteReturnsObject'
  | 'deleteCollectionReturnsStatus'
  | 'orphansDependents'
  | 'ttl'
  | 'finalizerDomains'
  | 'resetFields';

const settingsOf = (own: Strategy): Pick<Members<Strategy>, Setting> => ({
  nameRule: own.nameRule,
  allowCreateOnUpdate: own.allowCreateOnUpdate,
  allowUnconditionalUpdate: own.allowUnconditionalUpdate,
  countsGeneration: own.countsGeneration,
  deleteReturnsObject: own.deleteReturnsObject,
  deleteCollectionReturnsStatus: own.deleteCollectionReturnsStatus,
  orphansDependents: own.orphansDependents,
  ttl: own.ttl,
  finalizerDomains: own.finalizerDomains,
  resetFields: own.resetFields,
});

type PreparingHook = 'defaults' | 'prepareForCreate' | 'prepareForUpdate' | 'canonicalize' | 'finalization';

/** The hooks that change a new object, which is not shared yet. */
function preparingHooks(own: Strategy): Pick<Members<Strategy>, PreparingHook> {
  const { finalization } = own;
  const prepareForUpdate = own.prepareForUpdate?.bind(own);
  return {
    defaults: own.defaults?.bind(own),
    prepareForCreate: own.prepareForCreate?.bind(own),
    prepareForUpdate:
      prepareForUpdate &&
      ((object, old, context) =>
        stepsWithCopies(context, old, undefined, (before) => prepareForUpdate(object, before, context))),
    canonicalize: own.canonicalize?.bind(own),
    finalization: finalization && {
      // It begins with an object of its own.
      begin: (object, context) => finalization.begin(object, context),
      isFinalized: (object) => finalization.isFinalized(handed(object)),
    },
  };
}

/** The hooks that only read. */
function readingHooks(own: Strategy): Omit<Members<Strategy>, Setting | PreparingHook> {
  const nameRuleOf = own.nameRuleOf?.bind(own);
  const load = own.load?.bind(own);
  const gracePeriodSeconds = own.gracePeriodSeconds?.bind(own);
  return {
    ...checkingHooks(own),
    nameRuleOf: nameRuleOf && ((object) => nameRuleOf(handed(object))),
    load: load && ((object) => load(handed(object))),
    gracePeriodSeconds: gracePeriodSeconds && ((object, requested) => gracePeriodSeconds(handed(object), requested)),
  };
}

type CheckingHook = 'validate' | 'validateNew' | 'validateUpdate' | 'validateChange' | 'warnings';

function checkingHooks(own: Strategy): Pick<Members<Strategy>, CheckingHook> {
  const validate = own.validate?.bind(own);
  const validateNew = own.validateNew?.bind(own);
  const validateUpdate = own.validateUpdate?.bind(own);
  const validateChange = own.validateChange?.bind(own);
  const warnings = own.warnings?.bind(own);
  return {
    validate:
      validate &&
      ((object, context, old) =>
        stepsWithCopies(context, object, old, (one, before) => validate(one, context, before))),
    validateNew:
      validateNew &&
      ((object, context) =>
        withCopies(context, object, undefined, (one) => hookResult(validateNew(one, context), context))),
    validateUpdate:
      validateUpdate &&
      ((object, old, context) =>
        stepsWithCopies(context, object, old, (one, before) => validateUpdate(one, before, context))),
    validateChange:
      validateChange &&
      ((object, old, context) =>
        withCopies(context, object, old, (one, before) => hookResult(validateChange(one, before, context), context))),
    warnings:
      warnings &&
      ((object, old, context) =>
        stepsWithCopies(context, object, old, (one, before) => warnings(one, before, context))),
  };
}

/** Returns the strategy of a subresource of such a kind, with hooks that get copies as in {@link handedStrategy}. */
export function handedSubresource(own: SubresourceStrategy): SubresourceStrategy {
  const validateUpdate = own.validateUpdate?.bind(own);
  const members: Members<SubresourceStrategy> = {
    resetFields: own.resetFields,
    prepareForUpdate: (object, old, context) =>
      stepsWithCopies(context, old, undefined, (before) => own.prepareForUpdate(object, before, context)),
    validateUpdate:
      validateUpdate &&
      ((object, old, context) =>
        stepsWithCopies(context, object, old, (one, before) => validateUpdate(one, before, context))),
  };
  return { prepareForUpdate: own.prepareForUpdate, ...definedOnly(members) };
}
