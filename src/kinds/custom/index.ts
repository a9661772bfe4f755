export { customKinds } from './kinds.js';
export { factsOf, kindsOfDefinition, storedKindOf } from './definition.js';
export { noConversion, type Converter } from './versions.js';
export type { ConversionFunction } from './call-conversion.js';
export { converterOf, type ConverterTools } from './webhook-converter.js';
