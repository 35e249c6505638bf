import{a,b,c}from"./chunk-BRSBEKQG.js";import"./chunk-NMUK7DXM.js";c();export{a as SetPIN,b as default};
