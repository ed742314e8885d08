"""
Which images are blocked?
=========================

Small images show a disc that grows with the class. A black block was laid over one in ten. No
label is wrong here: the features are, and the fit cuts such rows away as well.
"""

from sklearn.decomposition import PCA
from sklearn.metrics import roc_auc_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from csvor import CSVOR
from csvor.corruption import occlude
from csvor.datasets import make_ordinal_images
from csvor.plots import occlusion_gallery

images, y = make_ordinal_images(200, random_state=0)
blocked, occluded = occlude(images, 0.1, random_state=0)

# %%
# Five principal components stand for the pixels: the more of them, the more a fit can make of the
# noise, and the fewer blocked images stand out.

model = make_pipeline(PCA(5, random_state=0), StandardScaler(), CSVOR(contamination=0.1))
fitted = model.fit(blocked.reshape(len(blocked), -1), y)[-1]
auc = roc_auc_score(occluded, fitted.residuals_)
occlusion_gallery(blocked, occluded, fitted.outliers_, residuals=fitted.residuals_, auc=auc)
