export { customKinds } from './kinds.js';
export { factsOf, kindsOfDefinition, storedKindOf } from './definition.js';
export { noConversion, type Converter } from './versions.js';
export { converterOf, type ConversionFunction, type ConverterTools } from './webhook-converter.js';
