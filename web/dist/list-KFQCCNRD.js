import{a,b,c}from"./chunk-LWIBSHFX.js";import"./chunk-3OTEZJZS.js";import"./chunk-ATJWNUA6.js";import"./chunk-573B4PAO.js";import"./chunk-NMUK7DXM.js";c();export{a as GuardianTabs,b as default};
