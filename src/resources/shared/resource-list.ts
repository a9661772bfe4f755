import { annotate, goNamed, mapOf, quantity } from '../../schema/vocabulary.js';
import { once } from './once.js';

/**
 * Quantities by resource name, such as `cpu: 100m`. Kubernetes rounds them up to thousandths.
 *
 * @see release 1.31, `SetDefaults_ResourceList` of core/v1
 */
export const resourceList = once(() => goNamed('v1.ResourceList', mapOf(annotate(quantity(), { quantityScale: -3 }))));
