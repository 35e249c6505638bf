import{a,b,c}from"./chunk-OAA4CJHN.js";import"./chunk-WZQEC2GS.js";c();export{b as Push,a as renewPush};
