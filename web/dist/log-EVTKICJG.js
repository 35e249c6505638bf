import{a,b,c}from"./chunk-QZZR3IM2.js";import"./chunk-2CU54TTD.js";import"./chunk-ATJWNUA6.js";import"./chunk-573B4PAO.js";import"./chunk-NMUK7DXM.js";c();export{a as AuditTabs,b as default};
