import{a,b,c}from"./chunk-MW4ZEYI3.js";import"./chunk-CLELO4DU.js";c();export{b as Push,a as renewPush};
