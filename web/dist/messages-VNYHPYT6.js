import{a,b,c}from"./chunk-3DLVE7UT.js";import"./chunk-57WFRSBU.js";c();export{a as default,b as useLate};
