import type { coreV1 } from '../../types/index.js';

/** Returns the names of a template's containers in a table. */
export const containersCell = (template: coreV1.PodTemplateSpec | undefined): string =>
  (template?.spec?.containers ?? []).map(({ name }) => name).join(',');

/** Returns the images of a template's containers in a table. */
export const imagesCell = (template: coreV1.PodTemplateSpec | undefined): string =>
  (template?.spec?.containers ?? []).map(({ image = '' }) => image).join(',');
