import{a,b,c}from"./chunk-3USDOHJ6.js";import"./chunk-WZQEC2GS.js";c();export{a as SetPIN,b as default};
