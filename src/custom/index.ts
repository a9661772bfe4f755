export { customKinds } from './kinds.js';
export { factsOf, kindsOfDefinition, storedKindOf } from './definition.js';
export { noConversion, type Converter } from './versions.js';
