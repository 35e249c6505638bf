import{a,b,c}from"./chunk-VAVE3IDZ.js";import"./chunk-CLELO4DU.js";c();export{a as SetPIN,b as default};
