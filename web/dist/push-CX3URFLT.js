import{a,b,c}from"./chunk-EVHB3642.js";import"./chunk-NMUK7DXM.js";c();export{b as Push,a as renewPush};
