export { requiredFields as SAMPLES } from '../../src/testing/data/required-fields.js';
