"""Which members of staff may do what: one name for each group of roles."""

from typing import Annotated

from fastapi import Depends

from knowledge.api.dependencies import Staff, staff_with

Reader = Annotated[Staff, Depends(staff_with("owner", "publisher", "reviewer", "operator", "support"))]
Owner = Annotated[Staff, Depends(staff_with("owner"))]
Reviewer = Annotated[Staff, Depends(staff_with("reviewer"))]
Operator = Annotated[Staff, Depends(staff_with("operator"))]
OwnerOrReviewer = Annotated[Staff, Depends(staff_with("owner", "reviewer"))]
Publisher = Annotated[Staff, Depends(staff_with("publisher"))]
OwnerOrPublisher = Annotated[Staff, Depends(staff_with("owner", "publisher"))]
Examiner = Annotated[Staff, Depends(staff_with("owner", "publisher", "operator"))]
ReviewerOrOperator = Annotated[Staff, Depends(staff_with("reviewer", "operator"))]
Runner = Annotated[Staff, Depends(staff_with("reviewer", "owner", "publisher", "operator"))]
