import{a,b,c}from"./chunk-3RBRIVI2.js";import"./chunk-LZA7HITR.js";c();export{b as Push,a as renewPush};
