import { joinedSteps, type Steps, type Work } from '../../../foundation/index.js';
import type { coreV1 } from '../../types/index.js';

/** Returns the names of a template's containers in a table. */
export const containersCell = (template: coreV1.PodTemplateSpec | undefined, work: Work): Steps<string> =>
  joinedSteps(template?.spec?.containers ?? [], ({ name }) => name, ',', work);

/** Returns the images of a template's containers in a table. */
export const imagesCell = (template: coreV1.PodTemplateSpec | undefined, work: Work): Steps<string> =>
  joinedSteps(template?.spec?.containers ?? [], ({ image = '' }) => image, ',', work);
